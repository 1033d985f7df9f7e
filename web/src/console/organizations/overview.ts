import { type Api, dataOf } from '../../api/organization.ts'
import { useMay, useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'

export interface Row {
  id: string
  name: string
  maxSystemUsers: number
  users: number | null
  systems: number | null
  events: number | null
  problems: number | null
}

const DAY_MS = 86_400_000

/** Events by organization: one question about all of them. */
const eventsBy = (ids: string[]) => async (api: Api) => {
  const { buckets } = dataOf(
    await api.insights.POST('/v1/events/distinct', {
      params: { header: { 'x-org-id': ids.join(',') } },
      body: {
        service: ['all'],
        start_time: new Date(Date.now() - DAY_MS).toISOString(),
        field: 'organization',
      },
    }),
  )
  return new Map(buckets.map(({ key, doc_count }) => [key, doc_count]))
}

export function useOverview() {
  const { session } = useOrganization()
  const reads = useMay().read('insights')
  const ids = [...session.organizationIds].sort()
  const overview = useRead(['provider', 'overview'], async (api) =>
    dataOf(
      await api.management.GET('/v2/providers/{provider_id}/overview', {
        params: { path: { provider_id: session.providerId ?? '' } },
      }),
    ),
  )
  const events = useRead(['provider', 'events', ids], eventsBy(ids), { enabled: reads })
  const rows = overview.data?.results.map(
    (each): Row => ({
      ...each,
      events: events.data ? (events.data.get(each.id) ?? 0) : null,
    }),
  )
  return { rows, deleted: overview.data?.deleted ?? [], error: overview.error ?? events.error }
}
