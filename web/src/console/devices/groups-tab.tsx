import { Stack } from '@mantine/core'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Picker } from '../resource/picker.tsx'
import type { Device } from './device.ts'
import { findDeviceGroups } from './find.ts'

interface Named {
  id: string
  name: string
}

/** Groups of devices that it is in. */
export function GroupsTab({ device }: { device: Device }) {
  const writable = useMay().write('groups')
  const { data, error } = useRead(['devices', device.id, 'groups'], async (api) =>
    pageOfV2(
      await api.management.GET('/v2/systems/{system_id}/memberof', {
        params: { path: { system_id: device.id }, query: { limit: 100 } },
      }),
    ),
  )
  const member = (op: 'add' | 'remove') => (api: Api, group: Named) =>
    api.management.POST('/v2/systemgroups/{group_id}/members', {
      params: { path: { group_id: group.id } },
      body: { op, type: 'system', id: device.id },
    })
  const touches = [['devices', device.id], ['groups'], ['commands']]
  const join = useChange({
    run: member('add'),
    touches,
    done: ({ name }: Named) => `Added to ${name}`,
  })
  const leave = useChange({
    run: member('remove'),
    touches,
    done: ({ name }: Named) => `Removed from ${name}`,
    undo: member('add'),
  })
  return (
    <Stack maw={720}>
      <Problem error={error} />
      {writable && (
        <Picker
          label="Add to a group of devices"
          kind="device-groups"
          find={findDeviceGroups}
          pick={join.mutate}
        />
      )}
      <ObjectList
        items={data?.rows}
        type="system_group"
        empty="In no group. Groups grant users access to devices, and run commands on them."
        remove={writable ? leave.mutate : undefined}
        removeLabel={(name) => `Remove from ${name}`}
      />
    </Stack>
  )
}
