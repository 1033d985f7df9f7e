import { Button, Stack, Title } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { dataOf, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { findCommands } from '../commands/find.ts'
import { PastResults } from '../commands/past-results.tsx'
import { useGo } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Picker } from '../resource/picker.tsx'
import { type Device, nameOf } from './device.ts'

interface Named {
  id: string
  name: string
}

/** Commands bound to the device, and the results of all that ran on it. */
export function CommandsTab({ device }: { device: Device }) {
  const may = useMay()
  const go = useGo()
  const writable = may.write('commands')
  const bound = useRead(['devices', device.id, 'commands'], async (api) =>
    pageOfV2(
      await api.management.GET('/v2/systems/{system_id}/commands', {
        params: { path: { system_id: device.id }, query: { limit: 100 } },
      }),
    ),
  )
  const run = useChange({
    run: async (api, { id }: Named) =>
      dataOf(
        await api.management.POST('/runCommand', { body: { _id: id, systemIds: [device.id] } }),
      ),
    touches: [['commands'], ['devices', device.id]],
    done: ({ name }) => `Started ${name} on ${nameOf(device)}`,
    after: ({ workflowInstanceId }, { id }) =>
      void go(`commands/${id}/results`, { search: { run: workflowInstanceId } }),
  })
  return (
    <Stack maw={860} gap="lg">
      {writable && (
        <Picker label="Run a command now" kind="commands" find={findCommands} pick={run.mutate} />
      )}
      <Stack gap="xs" component="section">
        <Title order={2} size="h5">
          Bound to this device
        </Title>
        <Problem error={bound.error} />
        <ObjectList
          items={bound.data?.rows}
          type="command"
          empty="None. A command names the devices and groups that it runs on."
          aside={({ id }, name) =>
            writable && (
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconPlayerPlay size={14} aria-hidden />}
                aria-label={`Run ${name} on this device`}
                onClick={() => run.mutate({ id, name })}
              >
                Run
              </Button>
            )
          }
        />
      </Stack>
      <Stack gap="xs" component="section">
        <Title order={2} size="h5">
          Results
        </Title>
        <PastResults
          owner={['devices', device.id]}
          filter={`systemId:$eq:${device.id}`}
          titleOf={({ name }) => name ?? ''}
          empty="Nothing has run on this device yet."
        />
      </Stack>
    </Stack>
  )
}
