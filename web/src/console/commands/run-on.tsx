import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Problem } from '../../ui/problem.tsx'
import { findDevices } from '../devices/find.ts'
import { findDeviceGroups } from '../groups/find.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Picker } from '../resource/picker.tsx'
import type { Command } from './command.ts'
import { useRun } from './use-run.ts'

interface Props {
  label: string
  type: 'system' | 'system_group'
  find: typeof findDevices
  empty: string
  ids: string[]
  set: (ids: string[]) => void
}

const Chosen = ({ label, type, find, empty, ids, set }: Props) => (
  <Stack gap="xs">
    <Picker
      label={label}
      kind={`${type}s`}
      find={find}
      pick={({ id }) => ids.includes(id) || set([...ids, id])}
    />
    <ObjectList
      items={ids.map((id) => ({ id, type }))}
      type={type}
      empty={empty}
      remove={({ id }) => set(ids.filter((each) => each !== id))}
    />
  </Stack>
)

/** Once, elsewhere than on the targets, which stay as they are. */
export function RunOn({ command, close }: { command: Command; close: () => void }) {
  const [systems, setSystems] = useState<string[]>([])
  const [systemGroups, setGroups] = useState<string[]>([])
  const run = useRun(command, true)
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        It runs there once. The targets of the command stay as they are.
      </Text>
      <Chosen
        label="Choose a device"
        type="system"
        find={findDevices}
        empty="No device."
        ids={systems}
        set={setSystems}
      />
      <Chosen
        label="Choose a group of devices"
        type="system_group"
        find={findDeviceGroups}
        empty="No group."
        ids={systemGroups}
        set={setGroups}
      />
      <Problem error={run.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button
          disabled={systems.length + systemGroups.length === 0}
          loading={run.isPending}
          onClick={() => run.mutate({ systems, systemGroups }, { onSuccess: close })}
        >
          Run command
        </Button>
      </Group>
    </Stack>
  )
}
