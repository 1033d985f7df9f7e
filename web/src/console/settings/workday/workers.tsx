import { Skeleton, Stack, Table, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useState } from 'react'
import type { Page } from '../../../api/organization.ts'
import { Check } from '../../../ui/check.tsx'
import { Section } from '../../../ui/section.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useMay } from '../../organization.ts'
import { Pager } from '../../resource/pager.tsx'
import { columnsOf, nameOf, obstacleOf, textOf, type Worker } from './entries.ts'
import { ImportBar } from './import-bar.tsx'
import { PAGE, PATH, type Workday } from './report.ts'
import { workersWords } from './use-import.ts'
import classes from './workday.module.css'

const ATTRIBUTES = 4
/** There is no room for attributes on a telephone. */
const WIDE = 'md'

/** By username, across pages. */
type Selection = ReadonlyMap<string, Worker>

interface TableProps {
  workers: Worker[]
  selected: Selection
  /** Absent for those who may not import. */
  select?: (selection: Selection) => void
}

/** Such as "Employee ID" for wd:Employee_ID. */
const headingOf = (attribute: string) => attribute.replace(/^.*:/, '').replaceAll('_', ' ')

function toggled(selected: Selection, workers: Worker[], on: boolean): Selection {
  const next = new Map(selected)
  for (const worker of workers)
    if (on) next.set(worker.username, worker)
    else next.delete(worker.username)
  return next
}

function Row({
  worker,
  columns,
  selected,
  select,
}: { worker: Worker; columns: string[] } & Omit<TableProps, 'workers'>) {
  const obstacle = obstacleOf(worker)
  const name = nameOf(worker)
  const checked = selected.has(worker.username)
  return (
    <Table.Tr>
      {select && (
        <Table.Td>
          {obstacle === null && (
            <Check
              label={`Select ${name}`}
              checked={checked}
              onChange={() => select(toggled(selected, [worker], !checked))}
            />
          )}
        </Table.Td>
      )}
      <Table.Th scope="row">{name}</Table.Th>
      <Table.Td>{worker.username}</Table.Td>
      <Table.Td>
        {worker.email}{' '}
        {obstacle && (
          <Tag tone="warn" Icon={IconAlertCircle}>
            {obstacle}
          </Tag>
        )}
      </Table.Td>
      {columns.map((column) => (
        <Table.Td key={column} visibleFrom={WIDE}>
          {textOf(worker.attributes[column])}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

function WorkersTable({ workers, selected, select }: TableProps) {
  const columns = columnsOf(workers, ATTRIBUTES)
  const possible = workers.filter((worker) => obstacleOf(worker) === null)
  const chosen = possible.filter(({ username }) => selected.has(username)).length
  const all = chosen > 0 && chosen === possible.length
  return (
    <Table aria-label="Workers" verticalSpacing={6} className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          {select && (
            <Table.Td w="2.5rem">
              <Check
                label="Select all on this page"
                checked={all}
                indeterminate={!all && chosen > 0}
                onChange={() => select(toggled(selected, possible, !all))}
              />
            </Table.Td>
          )}
          <Table.Th>Name</Table.Th>
          <Table.Th>Username</Table.Th>
          <Table.Th>E-mail</Table.Th>
          {columns.map((column) => (
            <Table.Th key={column} visibleFrom={WIDE}>
              {headingOf(column)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {workers.map((worker, at) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: a report may have the same worker twice
            key={at}
            worker={worker}
            columns={columns}
            selected={selected}
            {...(select && { select })}
          />
        ))}
      </Table.Tbody>
    </Table>
  )
}

interface Props {
  workday: Workday
  /** Undefined until it is read. */
  page: Page<Worker> | undefined
}

/** Who is in the report, to choose from. */
export function Workers({ workday, page }: Props) {
  const importing = useMay().write('users')
  const [selected, select] = useState<Selection>(new Map())
  return (
    <Section title="Workers" about={page && `${workersWords(page.total)} in the report`}>
      {!page && <Skeleton h={240} />}
      {page?.total === 0 && (
        <Text size="sm" c="dimmed">
          The report has none.
        </Text>
      )}
      {page && page.total > 0 && (
        <Stack gap="md">
          {importing && (
            <ImportBar workday={workday} selected={[...selected.values()]} total={page.total} />
          )}
          <WorkersTable workers={page.rows} selected={selected} {...(importing && { select })} />
          <Pager to={PATH} size={PAGE} total={page.total} />
        </Stack>
      )}
    </Section>
  )
}
