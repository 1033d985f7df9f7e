import { Stack, Text } from '@mantine/core'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Picker } from '../resource/picker.tsx'
import { findUsers } from '../users/find.ts'
import type { Group } from './group.ts'

const LIMIT = 100

interface Named {
  id: string
  name: string
}

export function MembersTab({ group }: { group: Group }) {
  const writable = useMay().write('groups')
  const { data, error } = useRead(['groups', group.id, 'members'], async (api) =>
    pageOfV2(
      await api.management.GET('/v2/usergroups/{group_id}/members', {
        params: { path: { group_id: group.id }, query: { limit: LIMIT } },
      }),
    ),
  )
  const member = (op: 'add' | 'remove') => (api: Api, user: Named) =>
    api.management.POST('/v2/usergroups/{group_id}/members', {
      params: { path: { group_id: group.id } },
      body: { op, type: 'user', id: user.id },
    })
  const touches = [['groups', group.id], ['users']]
  const add = useChange({
    run: member('add'),
    touches,
    done: ({ name }: Named) => `Added ${name}`,
  })
  const remove = useChange({
    run: member('remove'),
    touches,
    done: ({ name }: Named) => `Removed ${name}`,
    undo: member('add'),
  })
  return (
    <Stack maw={720}>
      <Problem error={error} />
      {writable && <Picker label="Add a user" kind="users" find={findUsers} pick={add.mutate} />}
      {data && data.total > data.rows.length && (
        <Text size="sm" c="dimmed">
          The first {data.rows.length} of {data.total} members.
        </Text>
      )}
      <ObjectList
        items={data?.rows.map(({ to }) => to)}
        type="user"
        empty="No members yet."
        remove={writable ? remove.mutate : undefined}
      />
    </Stack>
  )
}
