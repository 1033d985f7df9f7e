import { Stack } from '@mantine/core'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { findGroups } from '../groups/find.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Picker } from '../resource/picker.tsx'
import type { User } from './user.ts'

interface Named {
  id: string
  name: string
}

export function GroupsTab({ user }: { user: User }) {
  const writable = useMay().write('groups')
  const { data, error } = useRead(['users', user.id, 'groups'], async (api) =>
    pageOfV2(
      await api.management.GET('/v2/users/{user_id}/memberof', {
        params: { path: { user_id: user.id }, query: { limit: 100 } },
      }),
    ),
  )
  const member = (op: 'add' | 'remove') => (api: Api, group: Named) =>
    api.management.POST('/v2/usergroups/{group_id}/members', {
      params: { path: { group_id: group.id } },
      body: { op, type: 'user', id: user.id },
    })
  const touches = [['users', user.id], ['groups']]
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
        <Picker label="Add to a group" kind="groups" find={findGroups} pick={join.mutate} />
      )}
      <ObjectList
        items={data?.rows}
        type="user_group"
        empty="In no group."
        remove={writable ? leave.mutate : undefined}
        removeLabel={(name) => `Remove from ${name}`}
      />
    </Stack>
  )
}
