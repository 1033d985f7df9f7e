import { Select, Stack, Text } from '@mantine/core'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { To } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { useNames } from '../resource/names.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Pager, usePage } from '../resource/pager.tsx'
import { Picker } from '../resource/picker.tsx'
import { type Group, isDynamic } from './group.ts'
import { at, type Kind } from './kind.ts'

const SIZE = 100
/** The rule of a dynamic group is evaluated by a job. */
const REFRESH_MS = 5000

interface Named {
  id: string
  name: string
}

interface ExemptProps {
  kind: Kind
  group: Group
  add: (member: Named) => void
}

/** In an automated group the rule decides about all but those exempt from it. */
function AddExempt({ kind, group, add }: ExemptProps) {
  const { one, many, type } = kind.member
  const ids = group.memberQueryExemptions.map(({ id }) => id)
  const name = useNames(type, ids)
  return (
    <>
      <Text size="sm" c="dimmed">
        The rule decides who is a member.{' '}
        <To to={`${kind.path}/${group.id}/membership`}>
          {ids.length === 0 ? `Exempt ${many} from it` : 'See the rule'}
        </To>
        {ids.length === 0 && ' to add or remove them by hand.'}
      </Text>
      {ids.length > 0 && (
        <Select
          size="sm"
          maw={420}
          label={`Add an exempt ${one}`}
          placeholder="Choose"
          value={null}
          data={ids.map((id) => ({ value: id, label: name(id) }))}
          onChange={(id) => id && add({ id, name: name(id) })}
        />
      )}
    </>
  )
}

export function MembersTab({ kind, group }: { kind: Kind; group: Group }) {
  const writable = useMay().write('groups')
  const { type, one, path, find } = kind.member
  const paging = usePage(SIZE)
  const params = { path: { group_id: group.id } }
  const { data, error } = useRead(
    [kind.path, group.id, 'members', paging.skip],
    async (api) =>
      pageOfV2(
        await api.management.GET(at(kind, '/{group_id}/members'), {
          params: { ...params, query: paging },
        }),
      ),
    { every: () => isDynamic(group) && REFRESH_MS },
  )
  const member =
    (op: 'add' | 'remove') =>
    (api: Api, { id }: Named) =>
      api.management.POST(at(kind, '/{group_id}/members'), {
        params,
        body: { op, type: type as 'user', id },
      })
  const touches = [[kind.path, group.id], [path]]
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
  const automated = group.membershipMethod === 'DYNAMIC_AUTOMATED'
  const isExempt = (id: string) => group.memberQueryExemptions.some((each) => each.id === id)
  return (
    <Stack maw={720}>
      <Problem error={error} />
      {writable &&
        (automated ? (
          <AddExempt kind={kind} group={group} add={add.mutate} />
        ) : (
          <Picker label={`Add a ${one}`} kind={path} find={find} pick={add.mutate} />
        ))}
      <ObjectList
        items={data?.rows.map(({ to }) => to)}
        type={type}
        empty="No members yet."
        removable={({ id }) => !automated || isExempt(id)}
        remove={writable ? remove.mutate : undefined}
      />
      {data && <Pager to={`${kind.path}/${group.id}`} size={SIZE} total={data.total} />}
    </Stack>
  )
}
