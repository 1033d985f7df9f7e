import { createClient, type GatehouseClient } from '../../../client/index.ts'
import { send } from './session.ts'

/** The typed client of both APIs. Responses that are no success throw, so `data` is there. */
export type Api = GatehouseClient

export interface ApiCall {
  method: string
  path: string
  /** Null for calls that are about no single organization. */
  organization: string | null
  body: string | undefined
}

/** These are about the caller's own organization or provider, and refuse the header with another. */
const GLOBAL = /^\/api\/(organizations$|users(\/|$)|v2\/(providers|administrators)(\/|$))/

interface Options {
  organization: string
  csrfToken: () => string | undefined
  /** Cancels the requests. */
  signal?: AbortSignal | undefined
  onCall: (call: ApiCall) => void
}

export const apiOf = ({ organization, csrfToken, signal, onCall }: Options): Api =>
  createClient({
    baseUrl: window.location.origin,
    organizationId: organization,
    csrfToken,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      // Files may be large, and no command line takes them like this.
      const json = request.headers.get('content-type')?.includes('json')
      const body = json && request.body !== null ? await request.clone().text() : undefined
      if (GLOBAL.test(pathname)) request.headers.delete('x-org-id')
      const { method } = request
      const about = request.headers.get('x-org-id')
      onCall({ method, path: pathname + search, organization: about, body })
      return send(request, signal)
    },
  })

interface Answer<T> {
  data?: T
  response: Response
}

export const dataOf = <T>({ data }: Answer<T>): T => data as T

export interface Page<T> {
  total: number
  rows: T[]
}

/** Lists of the v1 API have the total in the body. */
export const pageOfV1 = <T>({ data }: Answer<{ totalCount?: number; results?: T[] }>): Page<T> => ({
  total: data?.totalCount ?? 0,
  rows: data?.results ?? [],
})

/** Lists of the v2 API have it in a header. */
export const pageOfV2 = <T>({ data, response }: Answer<T[]>): Page<T> => ({
  total: Number(response.headers.get('x-total-count') ?? data?.length ?? 0),
  rows: data ?? [],
})
