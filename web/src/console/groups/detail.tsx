import { IconTrash } from '@tabler/icons-react'
import { Tag } from '../../ui/tag.tsx'
import { useChange } from '../changes.ts'
import { useGo, usePath } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { HistoryTab } from '../resource/history-tab.tsx'
import { ResourcePage, type Tab } from '../resource/resource-page.tsx'
import { type Group, groupKey, METHODS, readGroup } from './group.ts'
import { at, type Kind } from './kind.ts'
import { MembersTab } from './members-tab.tsx'
import { MembershipTab } from './membership-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { SuggestionsTab } from './suggestions-tab.tsx'

interface Props {
  kind: Kind
  group: Group
  /** What the group is for. */
  grants: Tab[]
}

function GroupPage({ kind, group, grants }: Props) {
  const may = useMay()
  const go = useGo()
  const params = { path: { id: group.id } }
  const touches = [[kind.path], [kind.member.path]]
  const remove = useChange({
    run: (api) => api.management.DELETE(at(kind, '/{id}'), { params }),
    touches,
    done: () => `Deleted ${group.name}`,
    undo: (api) => api.management.POST(at(kind, '/{id}/restore'), { params }),
    after: () => void go(kind.path),
  })
  const reviewed = group.membershipMethod === 'DYNAMIC_REVIEW_REQUIRED'
  const shown = { kind, group, key: group.id }
  return (
    <ResourcePage
      list={kind}
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
        { id: 'members', label: 'Members', content: () => <MembersTab {...shown} /> },
        { id: 'membership', label: 'Membership', content: () => <MembershipTab {...shown} /> },
        ...(reviewed
          ? [
              {
                id: 'suggestions',
                label: 'Suggestions',
                content: () => <SuggestionsTab {...shown} />,
              },
            ]
          : []),
        ...grants,
        {
          id: 'settings',
          label: 'Settings',
          edits: true,
          content: () => <SettingsTab {...shown} />,
        },
        {
          id: 'history',
          label: 'History',
          content: () => <HistoryTab area={kind.path} id={group.id} />,
        },
      ]}
    />
  )
}

interface DetailProps {
  kind: Kind
  grantsOf: (group: Group) => Tab[]
}

export function GroupDetail({ kind, grantsOf }: DetailProps) {
  const { id = '' } = usePath()
  const { data, error } = useRead(groupKey(kind, id), readGroup(kind, id))
  if (data) return <GroupPage kind={kind} group={data} grants={grantsOf(data)} />
  return <ResourcePage list={kind} name={undefined} error={error} tabs={[]} />
}
