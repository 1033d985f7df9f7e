import {
  hashKey,
  type InfiniteData,
  type QueryKey,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { type Api, type ApiCall, apiOf } from '../api/organization.ts'
import { useOrganization } from './organization.ts'
import { csrfToken, queries } from './session.ts'

// Reading from the API. Every answer is cached under its organization, so that none can appear in another.

const ROOT = 'organization'
const callsOf = new Map<string, ApiCall[]>()

export const keyOf = (organization: string, key: QueryKey): QueryKey => [ROOT, organization, ...key]

/** An API whose calls are noted under the key. */
function notingApi(organization: string, queryKey: QueryKey, signal: AbortSignal): Api {
  const calls: ApiCall[] = []
  callsOf.set(hashKey(queryKey), calls)
  return apiOf({ organization, csrfToken, signal, onCall: (call) => calls.push(call) })
}

export function readOptions<T>(
  organization: string,
  key: QueryKey,
  read: (api: Api) => Promise<T>,
) {
  const queryKey = keyOf(organization, key)
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => read(notingApi(organization, queryKey, signal)),
  })
}

interface Options<T> {
  enabled?: boolean
  staleTime?: number
  /** Reads again after so many milliseconds; false once nothing more is expected. */
  every?: (data: T | undefined) => number | false
  placeholderData?: (previous: T | undefined) => T | undefined
}

export function useRead<T>(
  key: QueryKey,
  read: (api: Api) => Promise<T>,
  { every, ...options }: Options<T> = {},
) {
  const { id } = useOrganization()
  return useQuery({
    ...readOptions(id, key, read),
    ...(options as object),
    refetchInterval: ({ state }) => every?.(state.data as T | undefined) ?? false,
  })
}

type Pages<T, C> = InfiniteData<T, C | null>

interface PagesOptions<T, C> {
  enabled?: boolean
  placeholderData?: (
    previous: Pages<T, C> | undefined,
    query: { queryKey: QueryKey } | undefined,
  ) => Pages<T, C> | undefined
}

/**
 * A list read page by page, each from the cursor of the page before. It is never read again on its own: the key says
 * which moment it shows.
 */
export function useReadPages<T, C>(
  key: QueryKey,
  read: (api: Api, after: C | null) => Promise<T>,
  cursorOf: (page: T) => C | null,
  options: PagesOptions<T, C> = {},
) {
  const { id } = useOrganization()
  const queryKey = keyOf(id, key)
  return useInfiniteQuery({
    queryKey,
    initialPageParam: null as C | null,
    queryFn: ({ signal, pageParam }) =>
      read(notingApi(id, queryKey, signal), pageParam as C | null),
    getNextPageParam: cursorOf,
    staleTime: Number.POSITIVE_INFINITY,
    ...options,
  })
}

/** Fetches what a page will need, before it is opened. */
export const readAhead = <T>(
  organization: string,
  key: QueryKey,
  read: (api: Api) => Promise<T>,
): void => void queries.prefetchQuery(readOptions(organization, key, read))

/** The calls behind what is on the page now. */
export const shownCalls = (): ApiCall[] =>
  queries
    .getQueryCache()
    .findAll({ queryKey: [ROOT], type: 'active' })
    .flatMap(({ queryHash }) => callsOf.get(queryHash) ?? [])

/** A switch leaves nothing of other organizations in memory. */
export function forgetOthers(organization: string): void {
  queries.removeQueries({
    predicate: ({ queryKey }) => queryKey[0] === ROOT && queryKey[1] !== organization,
  })
  for (const hash of callsOf.keys()) if (!hash.includes(`"${organization}"`)) callsOf.delete(hash)
}
