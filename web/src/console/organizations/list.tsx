import {
  ActionIcon,
  Group,
  Skeleton,
  Space,
  Table,
  Text,
  Title,
  UnstyledButton,
} from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { number } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { RowLink, useAddress, useGo } from '../link.tsx'
import { useMay } from '../organization.ts'
import { SiblingTabs } from '../resource/sibling-tabs.tsx'
import { AddOrganization } from './add-organization.tsx'
import { DeletedOrganizations } from './deleted.tsx'
import { EditOrganization } from './edit-organization.tsx'
import classes from './organizations.module.css'
import { type Row, useOverview } from './overview.ts'
import { SIBLINGS } from './siblings.ts'

type Column = 'name' | 'users' | 'systems' | 'events' | 'problems'

const COLUMNS: { id: Column; label: string; to: string }[] = [
  { id: 'name', label: 'Organization', to: '' },
  { id: 'users', label: 'Users', to: 'users' },
  { id: 'systems', label: 'Devices', to: 'devices' },
  { id: 'events', label: 'Events in 24 hours', to: 'insights' },
  { id: 'problems', label: 'Needs attention', to: '' },
]

function compare(a: Row, b: Row, by: Column): number {
  if (by === 'name') return a.name.localeCompare(b.name)
  return (a[by] ?? -1) - (b[by] ?? -1)
}

/** Every organization of the provider in a line; each number leads to what it counts. */
export function List() {
  const { rows, deleted, error } = useOverview()
  const may = useMay()
  const { sort = 'name' } = useAddress()
  const changes = may.write('providers') || may.write('organizations')
  const [edited, edit] = useState<Row | null>(null)
  const go = useGo()
  useDocumentTitle('Organizations · Gatehouse')
  const by = (COLUMNS.find(({ id }) => id === sort.replace('-', '')) ?? COLUMNS[0]!).id
  const falling = sort.startsWith('-')
  /** Numbers start with the largest. */
  const next = (id: Column) => ((id === by ? !falling : id !== 'name') ? `-${id}` : id)
  const sorted = rows && [...rows].sort((a, b) => compare(a, b, by) * (falling ? -1 : 1))
  const Arrow = falling ? IconArrowDown : IconArrowUp
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Group gap="sm" align="baseline">
          <Title order={1}>Organizations</Title>
          <Text c="dimmed" component="span">
            {rows && `${number.format(rows.length)} of your provider`}
          </Text>
        </Group>
        {may.write('providers') && <AddOrganization />}
      </Group>
      <SiblingTabs siblings={SIBLINGS} />
      <Problem error={error} />
      {!sorted && !error && <Skeleton h={200} />}
      {sorted && (
        <Table
          aria-label="Organizations"
          bg="var(--gh-surface)"
          withTableBorder
          highlightOnHover
          className={classes.table!}
        >
          <Table.Thead>
            <Table.Tr>
              {COLUMNS.map(({ id, label }) => (
                <Table.Th
                  key={id}
                  aria-sort={id === by ? (falling ? 'descending' : 'ascending') : 'none'}
                >
                  <UnstyledButton
                    className={classes.sort}
                    onClick={() =>
                      void go('organizations', { search: { sort: next(id) }, replace: true })
                    }
                  >
                    {label}
                    {id === by && <Arrow size={14} aria-hidden />}
                  </UnstyledButton>
                </Table.Th>
              ))}
              {changes && <Table.Td />}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted.map((row) => (
              <Table.Tr key={row.id}>
                {COLUMNS.map(({ id, to }) => {
                  const value = row[id]
                  const text = typeof value === 'number' ? number.format(value) : (value ?? '–')
                  return (
                    <Table.Td key={id}>
                      {value !== null ? (
                        <RowLink href={`/console/${row.id}${to && `/${to}`}`}>{text}</RowLink>
                      ) : (
                        text
                      )}
                    </Table.Td>
                  )
                })}
                {changes && (
                  <Table.Td ta="right">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Edit ${row.name}`}
                      onClick={() => edit(row)}
                    >
                      <IconPencil size={16} aria-hidden />
                    </ActionIcon>
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <EditOrganization row={edited} close={() => edit(null)} />
      <Space h="md" />
      <DeletedOrganizations rows={deleted} />
    </>
  )
}
