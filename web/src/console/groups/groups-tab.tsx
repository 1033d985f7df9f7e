import { Stack } from '@mantine/core'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Picker } from '../resource/picker.tsx'
import { BY_HAND_ONLY } from './find.ts'
import { METHODS } from './group.ts'
import { at, type Kind } from './kind.ts'

const limit = 100

interface Named {
  id: string
  name: string
}

/** The ids of those groups whose members only the rule decides about. */
async function ruled(api: Api, kind: Kind, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const filter = [`id:in:${ids.join('|')}`, 'membershipMethod:eq:DYNAMIC_AUTOMATED']
  const { rows } = pageOfV2(
    await api.management.GET(at(kind, ''), {
      params: { query: { limit, filter, fields: ['id'] } },
    }),
  )
  return new Set(rows.map(({ id = '' }) => id))
}

/** The groups that a user or a device is in. */
export function GroupsTab({ kind, id }: { kind: Kind; id: string }) {
  const writable = useMay().write('groups')
  const { type, path } = kind.member
  const { data, error } = useRead([path, id, 'groups'], async (api) => {
    const root = type === 'user' ? '/v2/users/{user_id}' : '/v2/systems/{system_id}'
    const { rows } = pageOfV2(
      await api.management.GET(`${root}/memberof` as '/v2/users/{user_id}/memberof', {
        params: { path: { user_id: id, system_id: id }, query: { limit } },
      }),
    )
    const byRule = await ruled(
      api,
      kind,
      rows.map((group) => group.id),
    )
    return rows.map((group) => ({ ...group, byRule: byRule.has(group.id) }))
  })
  const member = (op: 'add' | 'remove') => (api: Api, group: Named) =>
    api.management.POST(at(kind, '/{group_id}/members'), {
      params: { path: { group_id: group.id } },
      body: { op, type: type as 'user', id },
    })
  const touches = [[path, id], [kind.path], ['commands']]
  const join = useChange({
    run: member('add'),
    touches,
    done: ({ name }: Named) => `Added to ${name}`,
    undo: member('remove'),
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
          label={`Add to a ${kind.one}`}
          description={BY_HAND_ONLY}
          kind={`${kind.path}-to-join`}
          find={kind.find}
          pick={join.mutate}
        />
      )}
      <ObjectList
        items={data}
        type={kind.type}
        empty={`In no group. ${kind.about}`}
        aside={({ byRule }) => byRule && <Tag tone="calm">{METHODS.DYNAMIC_AUTOMATED}</Tag>}
        removable={({ byRule }) => !byRule}
        remove={writable ? leave.mutate : undefined}
        removeLabel={(name) => `Remove from ${name}`}
      />
    </Stack>
  )
}
