import { Stack, Title } from '@mantine/core'
import { pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import type { User } from './user.ts'
import { Why } from './why.tsx'

const LIMIT = 100

/** What the user reaches, with the paths that grant it. */
export function AccessTab({ user }: { user: User }) {
  const path = { user_id: user.id }
  const query = { limit: LIMIT }
  const applications = useRead(['users', user.id, 'applications'], async (api) =>
    pageOfV2(
      await api.management.GET('/v2/users/{user_id}/applications', { params: { path, query } }),
    ),
  )
  const systems = useRead(['users', user.id, 'systems'], async (api) =>
    pageOfV2(await api.management.GET('/v2/users/{user_id}/systems', { params: { path, query } })),
  )
  return (
    <Stack maw={720} gap="lg">
      <Stack gap="xs" component="section">
        <Title order={2} size="h5">
          Applications
        </Title>
        <Problem error={applications.error} />
        <ObjectList
          items={applications.data?.rows}
          type="application"
          empty="No application. Add the user to a group that grants some."
          aside={({ id }, name) => <Why user={user.id} target={{ application: id }} name={name} />}
        />
      </Stack>
      <Stack gap="xs" component="section">
        <Title order={2} size="h5">
          Devices
        </Title>
        <Problem error={systems.error} />
        <ObjectList
          items={systems.data?.rows}
          type="system"
          empty="No device."
          aside={({ id }, name) => <Why user={user.id} target={{ system: id }} name={name} />}
        />
      </Stack>
    </Stack>
  )
}
