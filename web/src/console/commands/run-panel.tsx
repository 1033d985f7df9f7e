import { Button, Progress, Stack, Text } from '@mantine/core'
import { dataOf } from '../../api/organization.ts'
import { ApiError } from '../../api/session.ts'
import { counted } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { When } from '../../ui/when.tsx'
import { useChange } from '../changes.ts'
import { To } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import type { Command } from './command.ts'
import { ResultRow } from './result-row.tsx'
import classes from './results.module.css'

const POLL_MS = 1500
const MAX_DEVICES = 100
/** So few are shown with their output. */
const MAX_OPENED = 3

/** One run, live: each device as it answers. */
export function RunPanel({ command, run }: { command: Command; run: string }) {
  const writable = useMay().write('commands')
  const { data, error } = useRead(
    ['commands', command.id, 'run', run],
    async (api) =>
      dataOf(
        await api.management.GET('/v2/commands/{command_id}/runs/{workflow_instance_id}', {
          params: {
            path: { command_id: command.id, workflow_instance_id: run },
            query: { limit: MAX_DEVICES, skip: 0 },
          },
        }),
      ),
    { every: (data) => (data?.pendingCount === 0 ? false : POLL_MS) },
  )
  const cancel = useChange({
    run: (api) =>
      api.management.DELETE('/v2/commandqueue/{workflow_instance_id}', {
        params: { path: { workflow_instance_id: run } },
      }),
    touches: [['commands', command.id], ['command-runs']],
    done: () => 'Cancelled the rest of the run',
  })
  if (error instanceof ApiError && error.status === 404)
    return <Text c="dimmed">This run was cancelled before any device answered.</Text>
  if (!data) return <Problem error={error} />
  const { totalCount, pendingCount, failedCount, requestTime, results } = data
  const answered = totalCount - pendingCount
  const failed = failedCount > 0 ? ` · ${failedCount} failed` : ''
  return (
    <Section
      title="This run"
      about={
        <>
          Started <When time={requestTime} />
        </>
      }
      action={
        writable &&
        pendingCount > 0 && (
          <Button size="xs" variant="default" onClick={() => cancel.mutate()}>
            Cancel the rest
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <Text size="sm" role="status">
          {answered} of {counted(totalCount, 'device')} answered{failed}
        </Text>
        <Progress.Root size="sm">
          <Progress.Section
            value={(100 * (answered - failedCount)) / totalCount}
            color="teal"
            aria-label="Succeeded"
          />
          <Progress.Section
            value={(100 * failedCount) / totalCount}
            color="red"
            aria-label="Failed"
          />
        </Progress.Root>
        {pendingCount > 0 && (
          <Text size="sm" c="dimmed">
            Devices ask for work every minute; those that are offline run it when they are back.
          </Text>
        )}
        <ul className={classes.results} aria-label="Devices of this run">
          {results.map((each) => (
            <ResultRow
              key={each.id}
              id={each.id}
              title={<To to={`devices/${each.systemId}`}>{each.system || each.systemId}</To>}
              name={each.system}
              status={each.status}
              exitCode={each.exitCode}
              time={each.responseTime}
              opened={totalCount <= MAX_OPENED}
            />
          ))}
        </ul>
      </Stack>
    </Section>
  )
}
