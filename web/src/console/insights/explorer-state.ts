import { useCallback, useEffect, useMemo, useState } from 'react'
import { useAddress, useGo } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import type { Leaf } from './query/term.ts'
import { toJson } from './query/term.ts'
import { parseQuery, withCondition } from './query/text.ts'
import { type Range, rangeOf, rangeParams, type Span, spanOf } from './time-range.ts'

export const DEFAULT_COLUMNS = ['event_type', 'actor', 'target', 'client_ip', 'success']

/** The part of a request that all queries share. */
export interface Selection {
  service: string[]
  start_time: string
  end_time: string
  search_term: Record<string, unknown> | undefined
}

export const selectionOf = (
  { from, to }: Span,
  service: string[],
  search_term: Selection['search_term'],
): Selection => ({
  service,
  start_time: new Date(from).toISOString(),
  end_time: new Date(to).toISOString(),
  search_term,
})

/** A link may carry a query that does not parse. */
function termOf(text: string) {
  try {
    return { search_term: toJson(parseQuery(text)), error: null }
  } catch (error) {
    return { search_term: undefined, error: error as Error }
  }
}

/** The search that was shown last, and the moment that its answers are of. */
let left = { search: '', now: 0 }

/** Another search begins at a new "now". One that was left is shown as it was, from the cache, until there are new answers. */
function useNow(search: string) {
  const [refreshed, setRefreshed] = useState(0)
  const now = useMemo(
    () => (refreshed === 0 && left.search === search ? left.now : Date.now()),
    [search, refreshed],
  )
  const refresh = useCallback(() => setRefreshed((count) => count + 1), [])
  useEffect(() => {
    if (left.search === search && left.now === now) refresh()
    left = { search, now }
  }, [search, now, refresh])
  return { now, refresh }
}

/** What the explorer shows is in the address. */
export function useExplorer() {
  const address = useAddress()
  const go = useGo()
  const { id: organization } = useOrganization()
  const {
    q = '',
    last,
    from,
    to,
    service: services,
    columns,
    event,
    field,
    compare,
    live,
  } = address
  const search = JSON.stringify([organization, q, last, from, to, services])
  const { now, refresh } = useNow(search)
  const range = useMemo(
    () => rangeOf({ ...(last && { last }), ...(from && { from }), ...(to && { to }) }),
    [last, from, to],
  )
  const span = useMemo(() => spanOf(range, now), [range, now])
  const service = useMemo(() => services?.split(',') ?? ['all'], [services])
  const { search_term, error } = useMemo(() => termOf(q), [q])
  const selection = useMemo(
    () => selectionOf(span, service, search_term),
    [span, service, search_term],
  )
  const addressWith = (changes: Record<string, string | undefined>) =>
    Object.fromEntries(
      Object.entries({ ...address, ...changes }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
      ),
    )
  /** A new query or time is a step to go back from; what is opened beside it is not. */
  const set = (changes: Record<string, string | undefined>, replace = false) =>
    void go('insights', { search: addressWith(changes), replace })
  return {
    address,
    query: q,
    search,
    error,
    range,
    span,
    service,
    selection,
    columns: columns?.split(',') ?? DEFAULT_COLUMNS,
    event,
    field,
    compare: compare !== undefined,
    live: live !== undefined,
    addressWith,
    set,
    setQuery: (text: string) => set({ q: text, event: undefined }),
    setRange: (next: Range) => set({ ...rangeParams(next), event: undefined }),
    setColumns: (next: string[]) =>
      set({ columns: next.join(',') === DEFAULT_COLUMNS.join(',') ? '' : next.join(',') }, true),
    narrow: (leaf: Leaf) => set({ q: withCondition(q, leaf) }),
    refresh,
  }
}

export type ExplorerState = ReturnType<typeof useExplorer>
