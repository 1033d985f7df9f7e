import { Pagination, Stack } from '@mantine/core'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useAddress, useGo } from '../link.tsx'
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
  const go = useGo()
  const page = Math.max(1, Math.floor(Number(useAddress().page)) || 1)
  const { data, error } = useRead(['groups', group.id, 'members', page], async (api) =>
    pageOfV2(
      await api.management.GET('/v2/usergroups/{group_id}/members', {
        params: { path: { group_id: group.id }, query: { limit: LIMIT, skip: (page - 1) * LIMIT } },
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
      <ObjectList
        items={data?.rows.map(({ to }) => to)}
        type="user"
        empty="No members yet."
        remove={writable ? remove.mutate : undefined}
      />
      {data && data.total > LIMIT && (
        <Pagination
          size="sm"
          total={Math.ceil(data.total / LIMIT)}
          value={page}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
          onChange={(next) => void go(`groups/${group.id}`, { search: { page: String(next) } })}
        />
      )}
    </Stack>
  )
}
