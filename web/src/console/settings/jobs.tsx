import { Button, Progress, SegmentedControl, Skeleton, Stack, Table, Text } from '@mantine/core'
import { IconMail, IconRefresh } from '@tabler/icons-react'
import type { components } from '../../../../client/index.ts'
import { dataOf, pageOfV2 } from '../../api/organization.ts'
import { counted, number } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/when.tsx'
import { useChange } from '../changes.ts'
import { JobState } from '../job-state.tsx'
import { To, useAddress, useGo } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { Pager, usePage } from '../resource/pager.tsx'

type Job = components['schemas']['OrganizationJob']

const SIZE = 50
const POLL_MS = 3000

const KINDS: Record<Job['kind'], string> = {
  import: 'Import of people',
  plan: 'Plan of an import',
  undo: 'Undo of an import',
  bulk: 'Changes of many users',
  report: 'Report',
  queue: 'Background work',
}

const VIEWS: Record<string, { label: string; states?: Job['state'][] }> = {
  all: { label: 'All' },
  open: { label: 'In progress', states: ['queued', 'running', 'waiting', 'retrying'] },
  failed: { label: 'Failed', states: ['failed', 'retrying'] },
}

const unfinished = ({ state }: Job) => state === 'queued' || state === 'running'

/** Where more about it is found. */
function Name({ job }: { job: Job }) {
  const label = KINDS[job.kind]
  if (job.applicationId)
    return (
      <To to={`applications/${job.applicationId}/import`} search={{ job: job.id }}>
        {label}
      </To>
    )
  return job.kind === 'report' ? <To to="settings/reports">{label}</To> : label
}

function Result({ job }: { job: Job }) {
  const { total, pending, failed, attempts, message, next } = job
  if (total !== null && pending !== null && total > 0)
    return (
      <Progress
        value={((total - pending) * 100) / total}
        aria-label={`${total - pending} of ${total} done`}
      />
    )
  if (message) return message
  if (job.kind === 'queue')
    return (
      <>
        {counted(attempts ?? 0, 'attempt')}
        {next && (
          <>
            , the next <When time={next} />
          </>
        )}
      </>
    )
  if (total === null) return ''
  return [
    counted(total, 'row'),
    failed && `${number.format(failed)} failed`,
    job.heldMails && `${counted(job.heldMails, 'mail')} held`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Work in the background: imports, bulk changes and reports, and whatever failed. */
export function Jobs() {
  const may = useMay()
  const writable = may.write('organizations')
  const mayWriteUsers = may.write('users')
  const go = useGo()
  const paging = usePage(SIZE)
  const { view = 'all' } = useAddress()
  const states = VIEWS[view]?.states
  const { data, error } = useRead(
    ['jobs', view, paging.skip],
    async (api) =>
      pageOfV2(
        await api.management.GET('/v2/jobs', {
          params: {
            query: { ...paging, ...(states && { filter: [`state:in:${states.join('|')}`] }) },
          },
        }),
      ),
    {
      every: (page) => (page?.rows.some(unfinished) ? POLL_MS : false),
      placeholderData: (previous) => previous,
    },
  )
  const retry = useChange({
    run: (api, { id }: Job) =>
      api.management.POST('/v2/jobs/{id}/retry', { params: { path: { id } } }),
    touches: [['jobs'], ['home']],
    done: ({ name }) => `Trying ${name} again`,
  })
  const release = useChange({
    run: async (api, { id }: Job) =>
      dataOf(
        await api.management.POST('/v2/bulk/users/{job_id}/emails/release', {
          params: { path: { job_id: id } },
        }),
      ),
    touches: [['jobs']],
    done: (_, { released }) => `Sending ${counted(released, 'mail')}`,
  })
  return (
    <Stack>
      <div>
        <SegmentedControl
          size="sm"
          aria-label="Which jobs"
          data={Object.entries(VIEWS).map(([value, { label }]) => ({ value, label }))}
          value={view in VIEWS ? view : 'all'}
          onChange={(next) =>
            void go('settings/jobs', { search: next === 'all' ? {} : { view: next } })
          }
        />
      </div>
      <Problem error={error} />
      {!data && !error && <Skeleton h={160} />}
      {data?.rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {view === 'failed'
            ? 'Nothing has failed.'
            : 'Nothing here: imports, changes of many users and reports appear as they start.'}
        </Text>
      )}
      {data && data.rows.length > 0 && (
        <Table aria-label="Jobs" bg="var(--gh-surface)" withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Job</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Result</Table.Th>
              <Table.Th>Started</Table.Th>
              <Table.Td />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.rows.map((job) => {
              return (
                <Table.Tr key={job.id}>
                  <Table.Th scope="row">
                    <Name job={job} />
                    {(job.kind === 'queue' || job.kind === 'report') && (
                      <Text size="xs" c="dimmed" fw={400}>
                        {job.name}
                      </Text>
                    )}
                  </Table.Th>
                  <Table.Td>
                    <JobState state={job.state} />
                  </Table.Td>
                  <Table.Td>
                    <Result job={job} />
                  </Table.Td>
                  <Table.Td>
                    <When time={job.created} />
                  </Table.Td>
                  <Table.Td ta="right">
                    {writable && job.kind === 'queue' && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        leftSection={<IconRefresh size={14} aria-hidden />}
                        aria-label={`Retry ${job.name}`}
                        onClick={() => retry.mutate(job)}
                      >
                        Retry
                      </Button>
                    )}
                    {mayWriteUsers && job.heldMails !== null && job.heldMails > 0 && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        leftSection={<IconMail size={14} aria-hidden />}
                        onClick={() => release.mutate(job)}
                      >
                        Send mails
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              )
            })}
          </Table.Tbody>
        </Table>
      )}
      {data && <Pager to="settings/jobs" size={SIZE} total={data.total} />}
    </Stack>
  )
}
