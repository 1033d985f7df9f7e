import { Stack, Text, Title } from '@mantine/core'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { findDevices } from '../devices/find.ts'
import { findDeviceGroups } from '../groups/find.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Picker } from '../resource/picker.tsx'
import type { Command } from './command.ts'

const LIMIT = 100

type Type = 'system' | 'system_group'

interface Named {
  id: string
  name: string
}

interface Props {
  command: Command
  type: Type
  title: string
  label: string
  find: typeof findDevices
}

function Targets({ command, type, title, label, find }: Props) {
  const writable = useMay().write('commands')
  const path = { command_id: command.id }
  const { data, error } = useRead(['commands', command.id, 'targets', type], async (api) =>
    pageOfV2(
      await api.management.GET('/v2/commands/{command_id}/associations', {
        params: { path, query: { targets: [type], limit: LIMIT } },
      }),
    ),
  )
  const bind =
    (op: 'add' | 'remove') =>
    (api: Api, { id }: Named) =>
      api.management.POST('/v2/commands/{command_id}/associations', {
        params: { path },
        body: { op, type, id },
      })
  const touches = [['commands', command.id], ['devices']]
  const add = useChange({
    run: bind('add'),
    touches,
    done: ({ name }: Named) => `Added ${name}`,
  })
  const remove = useChange({
    run: bind('remove'),
    touches,
    done: ({ name }: Named) => `Removed ${name}`,
    undo: bind('add'),
  })
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h5">
        {title}
      </Title>
      <Problem error={error} />
      {writable && <Picker label={label} kind={`${type}s`} find={find} pick={add.mutate} />}
      {data && data.total > data.rows.length && (
        <Text size="sm" c="dimmed">
          The first {data.rows.length} of {data.total}.
        </Text>
      )}
      <ObjectList
        items={data?.rows.map(({ to }) => to)}
        type={type}
        empty="None."
        remove={writable ? remove.mutate : undefined}
      />
    </Stack>
  )
}

/** Where it runs. */
export const TargetsTab = ({ command }: { command: Command }) => (
  <Stack maw={720} gap="lg">
    <Targets
      command={command}
      type="system"
      title="Devices"
      label="Add a device"
      find={findDevices}
    />
    <Targets
      command={command}
      type="system_group"
      title="Groups of devices"
      label="Add a group"
      find={findDeviceGroups}
    />
  </Stack>
)
