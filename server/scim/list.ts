import { ScimFailure } from './failures.ts'
import type { Query } from './provider.ts'
import { readResource } from './resource.ts'
import { collection, nounOf, type Session, withoutMembers } from './session.ts'
import type { Remote, ResourceType } from './types.ts'

export const PAGE_SIZE = 100
const MAX_PAGES = 20_000

export interface ListOptions {
  filter?: string | undefined
  /** An entry without a usable id, which is left out. */
  onUnusable?: (entry: unknown) => void
  maxPages?: number
}

async function readPage(session: Session, type: ResourceType, query: Query) {
  const content = await session.read({
    method: 'GET',
    path: collection(type),
    query: { ...query, ...withoutMembers(type) },
    to: `list ${nounOf(type)}s`,
  })
  const { Resources, totalResults } = content
  if (Resources === undefined && totalResults === undefined)
    throw new ScimFailure('misconfigured', 'The base URL does not answer with SCIM')
  const total = Number(totalResults ?? Number.NaN)
  return {
    entries: Array.isArray(Resources) ? Resources : [],
    total: Number.isNaN(total) ? undefined : total,
  }
}

/**
 * RFC 7644 §3.4.2.4. The provider may send smaller pages than requested and leave out the total, so the next page begins
 * after the number received, without repetitions, and an empty page is the end. Fails rather than ending early: a resource that is missing in
 * an incomplete list would be created twice.
 */
export async function* list(
  session: Session,
  type: ResourceType,
  { filter, onUnusable, maxPages = MAX_PAGES }: ListOptions = {},
): AsyncGenerator<Remote> {
  const count = session.provider.quirks.pageSize ?? PAGE_SIZE
  const seen = new Set<string>()
  let received = 0
  for (let page = 0; page < maxPages; page++) {
    const query = { startIndex: received + 1, count, ...(filter !== undefined && { filter }) }
    const { entries, total } = await readPage(session, type, query)
    const before = seen.size
    const onPage = new Set<unknown>()
    for (const entry of entries) {
      const resource = readResource(entry)
      onPage.add(resource?.id ?? entry)
      if (!resource) onUnusable?.(entry)
      if (!resource || seen.has(resource.id)) continue
      seen.add(resource.id)
      yield resource
    }
    if (entries.length === 0) return
    // The provider ignores startIndex. Without a total, this is how a list without pages ends.
    const repeats = received > 0 && seen.size === before
    if (repeats && total === undefined) return
    if (repeats) break
    received += onPage.size
    if (total !== undefined && received >= total) return
  }
  throw new ScimFailure(
    'rejected',
    `The provider repeats its ${nounOf(type)}s instead of listing all of them`,
  )
}
