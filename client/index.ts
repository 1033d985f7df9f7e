import createFetchClient, { type Client } from 'openapi-fetch'
import type { paths as InsightsPaths } from './insights.gen.ts'
import type { paths as ManagementPaths } from './management.gen.ts'

export type { components } from './management.gen.ts'

export interface ClientOptions {
  /** The host root, such as http://localhost:8080; in the browser it may be left out. */
  baseUrl?: string
  apiKey?: string
  accessToken?: string
  organizationId?: string
  /** For console sessions: changes must carry the token that sign-in returned. */
  csrfToken?: () => string | undefined
  fetch?: (request: Request) => Promise<Response>
}

export interface GatehouseClient {
  management: Client<ManagementPaths>
  insights: Client<InsightsPaths>
}

function headersOf({ apiKey, accessToken, organizationId }: ClientOptions): Record<string, string> {
  return {
    ...(apiKey && { 'x-api-key': apiKey }),
    ...(accessToken && { authorization: `Bearer ${accessToken}` }),
    ...(organizationId && { 'x-org-id': organizationId }),
  }
}

/** Both APIs with their types. Every call answers `{ data, error, response }`; nothing throws on a 4xx. */
export function createClient(options: ClientOptions = {}): GatehouseClient {
  const root = (options.baseUrl ?? '').replace(/\/+$/, '')
  const common = { headers: headersOf(options), ...(options.fetch && { fetch: options.fetch }) }
  const management = createFetchClient<ManagementPaths>({ ...common, baseUrl: `${root}/api` })
  const insights = createFetchClient<InsightsPaths>({
    ...common,
    baseUrl: `${root}/insights/directory`,
  })
  const { csrfToken } = options
  if (csrfToken) {
    const onRequest = ({ request }: { request: Request }) => {
      const token = csrfToken()
      if (token) request.headers.set('x-csrf-token', token)
      return request
    }
    management.use({ onRequest })
    insights.use({ onRequest })
  }
  return { management, insights }
}
