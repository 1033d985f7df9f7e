import { insightsClient, refusal } from './events-http.ts'
import type { Selection, Target } from './events-options.ts'

export type EventDocument = Record<string, unknown>

interface PageOptions {
  sort: 'ASC' | 'DESC'
  /** Maximum number of events in total. */
  limit: number
  pageSize: number
}

/** Cursor paging by X-Search_after: new events do not shift the pages. */
export async function* eventPages(
  target: Target,
  selection: Selection,
  { sort, limit, pageSize }: PageOptions,
): AsyncGenerator<EventDocument[]> {
  const client = insightsClient(target)
  const { providerId } = target
  const header = providerId === undefined ? {} : { 'x-provider-id': providerId }
  let after: unknown
  for (let left = limit; left > 0; ) {
    const size = Math.min(pageSize, left)
    const body = {
      ...selection,
      sort,
      limit: size,
      ...(after !== undefined && { search_after: after }),
    }
    const { data, error, response } = await client.POST('/v1/events', { params: { header }, body })
    if (!data) throw refusal(response.status, error)
    if (data.length > 0) yield data
    if (data.length < size) return
    left -= size
    after = JSON.parse(response.headers.get('x-search_after') ?? '[]')
  }
}
