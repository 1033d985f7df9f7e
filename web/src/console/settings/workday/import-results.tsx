import { Group, Progress, SegmentedControl, Skeleton, Stack, Table, Text } from '@mantine/core'
import { IconAlertCircle, IconChevronLeft, IconCircleCheck, IconClock } from '@tabler/icons-react'
import { Problem } from '../../../ui/problem.tsx'
import { Section } from '../../../ui/section.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { EventsOfJob } from '../../events-of-job.tsx'
import { To, useAddress, useGo } from '../../link.tsx'
import pageClasses from '../../resource/page.module.css'
import { Pager, usePage } from '../../resource/pager.tsx'
import { PATH, type Workday } from './report.ts'
import { isFailed, isFinished, isPending, type Result, useResults } from './results.ts'
import classes from './workday.module.css'

const SIZE = 100

interface Sent {
  username?: string
  email?: string
  firstname?: string
  lastname?: string
}

function Outcome({ result }: { result: Result }) {
  if (isPending(result))
    return (
      <Tag tone="calm" Icon={IconClock}>
        Waiting
      </Tag>
    )
  return isFailed(result) ? (
    <Tag tone="bad" Icon={IconAlertCircle}>
      Failed
    </Tag>
  ) : (
    <Tag tone="good" Icon={IconCircleCheck}>
      Created
    </Tag>
  )
}

function Row({ result }: { result: Result }) {
  const { username = '', email, firstname, lastname } = result.persistedFields as Sent
  const { userId } = result.meta as { userId?: string }
  const name = [firstname, lastname].filter(Boolean).join(' ') || username
  return (
    <Table.Tr>
      <Table.Th scope="row">{userId ? <To to={`users/${userId}`}>{name}</To> : name}</Table.Th>
      <Table.Td>{username}</Table.Td>
      <Table.Td>{email}</Table.Td>
      <Table.Td>
        <Outcome result={result} />
      </Table.Td>
      <Table.Td>{isFailed(result) && result.statusMsg}</Table.Td>
    </Table.Tr>
  )
}

function Rows({ rows }: { rows: Result[] }) {
  return (
    <Table aria-label="Results" verticalSpacing={6} className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Username</Table.Th>
          <Table.Th>E-mail</Table.Th>
          <Table.Th>Result</Table.Th>
          <Table.Th>Reason</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((result) => (
          <Row key={result.id} result={result} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Filter({ job, failed }: { job: string; failed: boolean }) {
  const go = useGo()
  return (
    <SegmentedControl
      size="xs"
      aria-label="Which results"
      value={failed ? 'failed' : 'all'}
      onChange={(only) =>
        void go(PATH, { search: { job, ...(only === 'failed' && { only }) }, replace: true })
      }
      data={[
        { value: 'all', label: 'All' },
        { value: 'failed', label: 'Failed' },
      ]}
    />
  )
}

function Results({ workday, job }: { workday: Workday; job: string }) {
  const only = useAddress().only === 'failed'
  const { skip } = usePage(SIZE)
  const { data, error } = useResults(workday.id, job)
  if (!data) return error ? <Problem error={error} /> : <Skeleton h={240} />
  const failed = data.rows.filter(isFailed)
  const done = data.rows.filter((row) => !isPending(row)).length
  const shown = only ? failed : data.rows
  return (
    <Section title="Import" action={<Filter job={job} failed={only} />}>
      <Stack gap="sm">
        <Problem error={error} />
        {!isFinished(data) && (
          <Progress value={(100 * done) / data.total} aria-label="Progress of the import" />
        )}
        <Group gap="lg">
          <Text size="sm" aria-live="polite">
            <b>{done - failed.length}</b> created, <b>{failed.length}</b> failed
            {!isFinished(data) && (
              <>
                , <b>{data.total - done}</b> waiting
              </>
            )}
          </Text>
          <EventsOfJob id={job} />
        </Group>
        {shown.length === 0 ? (
          <Text size="sm" c="dimmed">
            {isFinished(data) ? 'None failed.' : 'None has failed so far.'}
          </Text>
        ) : (
          <Rows rows={shown.slice(skip, skip + SIZE)} />
        )}
        <Pager to={PATH} size={SIZE} total={shown.length} />
      </Stack>
    </Section>
  )
}

/** What became of each worker of an import. */
export function ImportResults({ workday, job }: { workday: Workday; job: string }) {
  return (
    <div>
      <To to={PATH} className={pageClasses.back}>
        <IconChevronLeft size={16} aria-hidden />
        Workday
      </To>
      <Results workday={workday} job={job} />
    </div>
  )
}
