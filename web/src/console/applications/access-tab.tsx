import { SimpleGrid, Stack } from '@mantine/core'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { counted } from '../../ui/number.ts'
import { Panel } from '../../ui/panel.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { findGroups } from '../groups/find.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Pager, usePage } from '../resource/pager.tsx'
import { Picker } from '../resource/picker.tsx'
import { findUsers } from '../users/find.ts'
import { Why } from '../users/why.tsx'
import type { Application } from './application.ts'

const LIMIT = 100
type Holder = 'user' | 'user_group'

interface Named {
  id: string
  name: string
  type: Holder
}

/** Who is bound, and so who gets in. */
export function AccessTab({ application }: { application: Application }) {
  const writable = useMay().write('applications')
  const path = { application_id: application.id }
  const bound = useRead(['applications', application.id, 'bound'], async (api) =>
    pageOfV2(
      await api.management.GET('/v2/applications/{application_id}/associations', {
        params: { path, query: { targets: ['user_group', 'user'], limit: LIMIT } },
      }),
    ),
  )
  const page = usePage(LIMIT)
  const users = useRead(['applications', application.id, 'users', page.skip], async (api) =>
    pageOfV2(
      await api.management.GET('/v2/applications/{application_id}/users', {
        params: { path, query: page },
      }),
    ),
  )
  const bind =
    (op: 'add' | 'remove') =>
    (api: Api, { id, type }: Named) =>
      api.management.POST('/v2/applications/{application_id}/associations', {
        params: { path },
        body: { op, type, id },
      })
  const touches = [['applications', application.id], ['users'], ['groups'], ['home']]
  const add = useChange({
    run: bind('add'),
    touches,
    done: ({ name }: Named) => `Gave access to ${name}`,
  })
  const remove = useChange({
    run: bind('remove'),
    touches,
    done: ({ name }: Named) => `Took access from ${name}`,
    undo: bind('add'),
  })
  const of = (type: Holder) =>
    bound.data?.rows.map(({ to }) => to).filter((each) => each.type === type)
  const drop = (type: Holder) =>
    writable ? (item: { id: string; name: string }) => remove.mutate({ ...item, type }) : undefined
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" maw={1240}>
      <Stack>
        <Problem error={bound.error} />
        <Panel title="Groups" lead="Their members get in, and leave with the group.">
          {writable && (
            <Picker
              label="Bind a group"
              kind="groups"
              find={findGroups}
              pick={(found) => add.mutate({ ...found, type: 'user_group' })}
            />
          )}
          <ObjectList
            items={of('user_group')}
            type="user_group"
            empty="No group is bound yet."
            remove={drop('user_group')}
          />
        </Panel>
        <Panel title="Users" lead="Bound directly, beside any group.">
          {writable && (
            <Picker
              label="Bind a user"
              kind="users"
              find={findUsers}
              pick={(found) => add.mutate({ ...found, type: 'user' })}
            />
          )}
          <ObjectList
            items={of('user')}
            type="user"
            empty="No user is bound directly."
            remove={drop('user')}
          />
        </Panel>
      </Stack>
      <Panel title="Who gets in" lead={users.data && counted(users.data.total, 'user')}>
        <Problem error={users.error} />
        <ObjectList
          items={users.data?.rows}
          type="user"
          empty="Nobody. Bind a group or a user."
          aside={({ id }, name) => (
            <Why user={id} target={{ application: application.id }} name={name} />
          )}
        />
        {users.data && (
          <Pager
            to={`applications/${application.id}/access`}
            size={LIMIT}
            total={users.data.total}
          />
        )}
      </Panel>
    </SimpleGrid>
  )
}
