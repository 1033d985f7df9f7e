import { UsersTab } from '../devices/users-tab.tsx'
import { GroupDetail } from '../groups/detail.tsx'
import { DEVICE_GROUPS } from '../groups/kind.ts'
import { listOf } from '../groups/list.tsx'
import { ResourceList } from '../resource/resource-list.tsx'
import { CommandsTab } from './commands-tab.tsx'

const list = listOf(DEVICE_GROUPS)

export const List = () => <ResourceList list={list} />

export const Detail = () => (
  <GroupDetail
    kind={DEVICE_GROUPS}
    grantsOf={({ id, name }) => [
      {
        id: 'users',
        label: 'Users',
        content: () => (
          <UsersTab
            key={id}
            place={{ area: DEVICE_GROUPS.path, id, name, root: '/v2/systemgroups/{group_id}' }}
          />
        ),
      },
      { id: 'commands', label: 'Commands', content: () => <CommandsTab id={id} /> },
    ]}
  />
)
