import { Select, Stack, Title } from '@mantine/core'
import type { components } from '../../../../client/index.ts'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useChange } from '../changes.ts'
import { findGroups } from '../groups/find.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Picker } from '../resource/picker.tsx'
import { findUsers } from '../users/find.ts'
import { Why } from '../users/why.tsx'
import { attributesOf, RIGHTS, type Right, rightOf } from './rights.ts'

const LIMIT = 100

type Bound = components['schemas']['GraphObjectWithPaths']
type Type = 'user' | 'user_group'

interface Named {
  id: string
  name: string
}

/** A device, or a group of devices. */
interface Place {
  /** The area, in keys of the cache. */
  area: string
  id: string
  name: string
  root: '/v2/systems/{system_id}' | '/v2/systemgroups/{group_id}'
}

/** The association of the place itself, if there is one. */
const directOf = ({ paths }: Bound) => paths.find((path) => path.length === 1)?.[0]

const CHOICES = Object.entries(RIGHTS).map(([value, label]) => ({ value, label }))

interface RightProps {
  item: Bound
  name: string
  change: ((right: Right) => void) | undefined
}

/** As many rights as all paths together give; those of the place itself can be changed here. */
function RightCell({ item, name, change }: RightProps) {
  const { write } = useMay()
  const direct = directOf(item)
  const right = rightOf(item.compiledAttributes)
  if (!direct || !change)
    return <Tag tone={right === 'standard' ? 'calm' : 'warn'}>{RIGHTS[right]}</Tag>
  const sudo = write('systems.sudo')
  return (
    <Select
      size="xs"
      w={230}
      aria-label={`Rights of ${name}`}
      allowDeselect={false}
      data={CHOICES.map((choice) => ({
        ...choice,
        disabled: !sudo && choice.value !== 'standard',
      }))}
      value={rightOf(direct.attributes)}
      onChange={(value) => change(value as Right)}
    />
  )
}

/** Who may sign in there, with which rights and why. */
export function UsersTab({ place }: { place: Place }) {
  const writable = useMay().write('systems')
  const { area, id, name: placeName } = place
  // Both kinds of places have the same below their root, with the same shapes.
  const below = <P extends string>(path: P) =>
    `${place.root}${path}` as `/v2/systems/{system_id}${P}`
  const path = { system_id: id, group_id: id }
  const query = { limit: LIMIT }
  const users = useRead([area, id, 'users'], async (api) =>
    pageOfV2(await api.management.GET(below('/users'), { params: { path, query } })),
  )
  const groups = useRead([area, id, 'usergroups'], async (api) =>
    pageOfV2(await api.management.GET(below('/usergroups'), { params: { path, query } })),
  )
  const bind =
    (op: 'add' | 'remove', type: Type) =>
    (api: Api, { id }: Named) =>
      api.management.POST(below('/associations'), { params: { path }, body: { op, type, id } })
  const touches = [[area, id], ['devices'], ['users'], ['groups']]
  const done = ({ name }: Named) => `${name} may sign in to ${placeName}`
  const undone = ({ name }: Named) => `Removed ${name} from ${placeName}`
  const addUser = useChange({ run: bind('add', 'user'), touches, done })
  const addGroup = useChange({ run: bind('add', 'user_group'), touches, done })
  const removeUser = useChange({
    run: bind('remove', 'user'),
    touches,
    done: undone,
    undo: bind('add', 'user'),
  })
  const removeGroup = useChange({
    run: bind('remove', 'user_group'),
    touches,
    done: undone,
    undo: bind('add', 'user_group'),
  })
  const change = useChange({
    run: (api, { id, type, right }: { id: string; type: Type; right: Right }) =>
      api.management.POST(below('/associations'), {
        params: { path },
        body: { op: 'update', type, id, attributes: attributesOf(right) },
      }),
    touches,
    done: () => 'Changed the rights',
  })
  const changeOf = (type: Type, id: string) =>
    writable ? (right: Right) => change.mutate({ id, type, right }) : undefined
  const direct = (item: Bound) => directOf(item) !== undefined
  return (
    <Stack maw={860} gap="lg">
      <Stack gap="xs" component="section">
        <Title order={2} size="h5">
          Users
        </Title>
        <Problem error={users.error} />
        {writable && (
          <Picker label="Let a user sign in" kind="users" find={findUsers} pick={addUser.mutate} />
        )}
        <ObjectList
          items={users.data?.rows}
          type="user"
          empty="Nobody yet. Add a user, or a group of users."
          aside={(item, name) => (
            <>
              <RightCell item={item} name={name} change={changeOf('user', item.id)} />
              {area === 'devices' && <Why user={item.id} target={{ system: id }} name={name} />}
            </>
          )}
          removable={direct}
          remove={writable ? removeUser.mutate : undefined}
        />
      </Stack>
      <Stack gap="xs" component="section">
        <Title order={2} size="h5">
          Groups of users
        </Title>
        <Problem error={groups.error} />
        {writable && (
          <Picker
            label="Let a group sign in"
            kind="groups"
            find={findGroups}
            pick={addGroup.mutate}
          />
        )}
        <ObjectList
          items={groups.data?.rows}
          type="user_group"
          empty="None."
          aside={(item, name) => (
            <RightCell item={item} name={name} change={changeOf('user_group', item.id)} />
          )}
          removable={direct}
          remove={writable ? removeGroup.mutate : undefined}
        />
      </Stack>
    </Stack>
  )
}
