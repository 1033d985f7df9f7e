import { Button, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { components } from '../../../../client/index.ts'
import { pageOfV1 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/when.tsx'
import { useChange } from '../changes.ts'
import { SIBLINGS } from '../commands/siblings.ts'
import { To } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'
import { Pager, usePage } from '../resource/pager.tsx'
import { SiblingTabs } from '../resource/sibling-tabs.tsx'

const SIZE = 50
const POLL_MS = 5000

type Run = components['schemas']['QueuedCommandList']['results'][number]

const LAUNCHES: Record<string, string> = {
  manual: 'By hand',
  scheduled: 'By schedule',
  triggered: 'By a trigger',
  'built-in': 'From the page of a device',
}

/** What is built in has no page of its own. */
const Name = ({ run: { id, commandId, name } }: { run: Run }) =>
  commandId ? (
    <To to={`commands/${commandId}/results`} search={{ run: id }}>
      {name}
    </To>
  ) : (
    name
  )

function Runs({ runs }: { runs: Run[] }) {
  const writable = useMay().write('commands')
  const cancel = useChange({
    run: (api, { id }: Run) =>
      api.management.DELETE('/v2/commandqueue/{workflow_instance_id}', {
        params: { path: { workflow_instance_id: id } },
      }),
    touches: [['command-runs'], ['commands']],
    done: ({ name }) => `Cancelled the rest of ${name}`,
  })
  return (
    <Paper withBorder bg="var(--gh-surface)" px="md">
      <Table aria-label="Waiting runs" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Command</Table.Th>
            <Table.Th>Started</Table.Th>
            <Table.Th>How</Table.Th>
            <Table.Th>Devices awaited</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map((run) => (
            <Table.Tr key={run.id}>
              <Table.Td fw={550}>
                <Name run={run} />
              </Table.Td>
              <Table.Td>
                <When time={run.requestTime} />
              </Table.Td>
              <Table.Td>{LAUNCHES[run.launchType] ?? run.launchType}</Table.Td>
              <Table.Td>{run.pendingCount}</Table.Td>
              <Table.Td ta="right">
                {writable && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={`Cancel the rest of ${run.name}`}
                    onClick={() => cancel.mutate(run)}
                  >
                    Cancel the rest
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

/** Runs of all commands that some devices have not answered yet, the newest first. */
export function List() {
  const { name } = useOrganization()
  useDocumentTitle(`Waiting runs · ${name} · Gatehouse`)
  const page = usePage(SIZE)
  const { data, error } = useRead(
    ['command-runs', page.skip],
    async (api) =>
      pageOfV1(
        await api.management.GET('/v2/queuedcommand/workflows', { params: { query: page } }),
      ),
    { every: () => POLL_MS, placeholderData: (previous) => previous },
  )
  return (
    <>
      <Title order={1} mb="md">
        Waiting runs
      </Title>
      <SiblingTabs siblings={SIBLINGS} />
      <Stack maw={960}>
        <Problem error={error} />
        {!data && !error && <Skeleton h={120} />}
        {data?.total === 0 && (
          <Text c="dimmed">
            Nothing waits. A run is here until all its devices have answered, or it is cancelled.
          </Text>
        )}
        {data && data.rows.length > 0 && <Runs runs={data.rows} />}
        {data && <Pager to="command-runs" size={SIZE} total={data.total} />}
      </Stack>
    </>
  )
}
