import { Checkbox, Paper, Stack, Text } from '@mantine/core'
import { type Api, pageOfV1, pageOfV2 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { Pager, usePage } from '../resource/pager.tsx'
import type { Administrator } from './administrator.ts'

const LIMIT = 100

interface Organization {
  id: string
  displayName?: string | null
}

interface Link {
  organization: string
}

/** All links: those of the organizations on a page cannot be asked for. */
const readLinks = (id: string) => async (api: Api) => {
  for (const links: Link[] = []; ; ) {
    const { rows, total } = pageOfV2(
      await api.management.GET('/v2/administrators/{id}/organizationlinks', {
        params: { path: { id }, query: { limit: LIMIT, skip: links.length } },
      }),
    )
    links.push(...rows)
    if (rows.length === 0 || links.length >= total) return links
  }
}

/** Organizations of the provider that the administrator may enter. */
export function OrganizationsTab({ admin }: { admin: Administrator }) {
  const writable = useMay().write('administrators')
  const page = usePage(LIMIT)
  const all = useRead(['organizations', 'all', page.skip], async (api) =>
    pageOfV1(
      await api.management.GET('/organizations', {
        params: { query: { ...page, sort: 'name' } },
      }),
    ),
  )
  const links = useRead(['administrators', admin.id, 'links'], readLinks(admin.id))
  const linked = new Set(links.data?.map(({ organization }) => organization))
  const change = useChange({
    run: (api: Api, { id, to }: { id: string; to: boolean; name: string }): Promise<unknown> =>
      to
        ? api.management.POST('/v2/administrators/{id}/organizationlinks', {
            params: { path: { id: admin.id } },
            body: { organization: id },
          })
        : api.management.DELETE('/v2/administrators/{administrator_id}/organizationlinks/{id}', {
            params: { path: { administrator_id: admin.id, id } },
          }),
    touches: [['administrators', admin.id]],
    expect: {
      key: ['administrators', admin.id, 'links'],
      change: (cached: Link[], { id, to }) =>
        to ? [...cached, { organization: id }] : cached.filter((link) => link.organization !== id),
    },
    done: ({ name, to }) => (to ? `Gave access to ${name}` : `Took access to ${name}`),
  })
  const row = ({ id, displayName }: Organization) => (
    <Checkbox
      key={id}
      label={displayName ?? id}
      disabled={!writable || !links.data}
      checked={linked.has(id)}
      onChange={(event) =>
        change.mutate({ id, to: event.currentTarget.checked, name: displayName ?? id })
      }
    />
  )
  return (
    <Stack maw={720}>
      <Problem error={all.error ?? links.error} />
      <Text size="sm" c="dimmed">
        Organizations that {admin.email} may enter.
      </Text>
      <Paper p="lg" withBorder bg="var(--gh-surface)">
        <Stack gap="sm">{all.data?.rows.map(row)}</Stack>
      </Paper>
      {all.data && (
        <Pager
          to={`administrators/${admin.id}/organizations`}
          size={LIMIT}
          total={all.data.total}
        />
      )}
    </Stack>
  )
}
