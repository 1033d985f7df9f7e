import { ResourceList } from '../resource/resource-list.tsx'
import { GroupDetail } from './detail.tsx'
import { GrantsTab } from './grants-tab.tsx'
import { USER_GROUPS } from './kind.ts'
import { listOf } from './list.tsx'

const list = listOf(USER_GROUPS)

export const List = () => <ResourceList list={list} />

export const Detail = () => (
  <GroupDetail
    kind={USER_GROUPS}
    grantsOf={(group) => [
      { id: 'grants', label: 'Grants', content: () => <GrantsTab group={group} /> },
    ]}
  />
)
