import { Stack, Title } from '@mantine/core'
import { type Page, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import type { Group } from './group.ts'

interface Props {
  title: string
  type: string
  empty: string
  query: { data: Page<{ id: string; type: string }> | undefined; error: Error | null }
}

const Grants = ({ title, type, empty, query: { data, error } }: Props) => (
  <Stack gap="xs" component="section">
    <Title order={2} size="h5">
      {title}
    </Title>
    <Problem error={error} />
    <ObjectList items={data?.rows} type={type} empty={empty} />
  </Stack>
)

/** What members reach through the group. */
export function GrantsTab({ group }: { group: Group }) {
  const params = { path: { group_id: group.id }, query: { limit: 100 } }
  const applications = useRead(['groups', group.id, 'applications'], async (api) =>
    pageOfV2(await api.management.GET('/v2/usergroups/{group_id}/applications', { params })),
  )
  const systems = useRead(['groups', group.id, 'systems'], async (api) =>
    pageOfV2(await api.management.GET('/v2/usergroups/{group_id}/systems', { params })),
  )
  return (
    <Stack maw={720} gap="lg">
      <Grants
        title="Applications"
        type="application"
        empty="None. Bind the group to an application on its Access page."
        query={applications}
      />
      <Grants
        title="Devices"
        type="system"
        empty="None. Let the group sign in to a device on its Users page."
        query={systems}
      />
    </Stack>
  )
}
