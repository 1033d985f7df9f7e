import { IconTrash } from '@tabler/icons-react'
import { Tag } from '../../ui/tag.tsx'
import { useChange } from '../changes.ts'
import { useGo, usePath } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { HistoryTab } from '../resource/history-tab.tsx'
import { ResourcePage } from '../resource/resource-page.tsx'
import { GrantsTab } from './grants-tab.tsx'
import { type Group, groupKey, METHODS, readGroup } from './group.ts'
import { MembersTab } from './members-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'

const LIST = { path: 'groups', title: 'Groups' }

function GroupPage({ group }: { group: Group }) {
  const may = useMay()
  const go = useGo()
  const params = { path: { id: group.id } }
  const remove = useChange({
    run: (api) => api.management.DELETE('/v2/usergroups/{id}', { params }),
    touches: [['groups']],
    done: () => `Deleted ${group.name}`,
    undo: (api) => api.management.POST('/v2/usergroups/{id}/restore', { params }),
    after: () => void go('groups'),
  })
  return (
    <ResourcePage
      list={LIST}
      name={group.name}
      error={null}
      state={<Tag tone="calm">{METHODS[group.membershipMethod]}</Tag>}
      copy={[{ label: 'id', value: group.id }]}
      menu={
        may.write('groups')
          ? [{ label: 'Delete group', Icon: IconTrash, danger: true, run: () => remove.mutate() }]
          : []
      }
      tabs={[
        { id: 'members', label: 'Members', content: () => <MembersTab group={group} /> },
        { id: 'grants', label: 'Grants', content: () => <GrantsTab group={group} /> },
        { id: 'settings', label: 'Settings', content: () => <SettingsTab group={group} /> },
        {
          id: 'history',
          label: 'History',
          content: () => <HistoryTab area="groups" id={group.id} />,
        },
      ]}
    />
  )
}

export function Detail() {
  const { id = '' } = usePath()
  const { data, error } = useRead(groupKey(id), readGroup(id))
  if (data) return <GroupPage group={data} />
  return <ResourcePage list={LIST} name={undefined} error={error} tabs={[]} />
}
