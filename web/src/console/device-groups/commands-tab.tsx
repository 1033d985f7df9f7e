import { Stack } from '@mantine/core'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { findCommands } from '../commands/find.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Picker } from '../resource/picker.tsx'

interface Named {
  id: string
  name: string
}

/** Commands that run on the devices of the group. */
export function CommandsTab({ id }: { id: string }) {
  const writable = useMay().write('commands')
  const { data, error } = useRead(['device-groups', id, 'commands'], async (api) =>
    pageOfV2(
      await api.management.GET('/v2/systemgroups/{group_id}/commands', {
        params: { path: { group_id: id }, query: { limit: 100 } },
      }),
    ),
  )
  const bind = (op: 'add' | 'remove') => (api: Api, command: Named) =>
    api.management.POST('/v2/commands/{command_id}/associations', {
      params: { path: { command_id: command.id } },
      body: { op, type: 'system_group', id },
    })
  const touches = [['device-groups', id], ['commands'], ['devices']]
  const add = useChange({
    run: bind('add'),
    touches,
    done: ({ name }: Named) => `${name} runs on this group`,
  })
  const remove = useChange({
    run: bind('remove'),
    touches,
    done: ({ name }: Named) => `${name} no longer runs on this group`,
    undo: bind('add'),
  })
  return (
    <Stack maw={720}>
      <Problem error={error} />
      {writable && (
        <Picker label="Add a command" kind="commands" find={findCommands} pick={add.mutate} />
      )}
      <ObjectList
        items={data?.rows}
        type="command"
        empty="None. Commands that are added here run on all devices of the group."
        remove={writable ? remove.mutate : undefined}
      />
    </Stack>
  )
}
