import type {
  ImportConfig,
  ImportJob,
  ImportJobCreate,
  ImportResult,
} from '../server/imports/schema.ts'
import { OperatorError } from '../server/platform/errors.ts'
import { headersOf, refusal, send } from './events-http.ts'
import type { Target } from './events-options.ts'

const PAGE = 100
const DEFAULT_NAME = 'File import'

interface Application {
  id: string
  displayLabel: string
}

export type ImportApi = ReturnType<typeof importApi>

async function request(target: Target, method: string, path: string, body?: object | Buffer) {
  const raw = Buffer.isBuffer(body)
  const init: RequestInit = {
    method,
    headers: {
      ...headersOf(target),
      ...(body && { 'content-type': raw ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body && { body: raw ? new Uint8Array(body) : JSON.stringify(body) }),
  }
  return send(target, () => new Request(`${target.baseUrl}/api${path}`, init))
}

async function call<T>(target: Target, method: string, path: string, body?: object | Buffer) {
  const response = await request(target, method, path, body)
  const answer: unknown = response.status === 204 ? null : await response.json().catch(() => null)
  if (!response.ok) throw refusal(response.status, answer)
  return answer as T
}

async function named(target: Target, name: string): Promise<Application[]> {
  const query = new URLSearchParams({ filter: `displayLabel:eq:${name}`, limit: String(PAGE) })
  return call<Application[]>(target, 'GET', `/v2/applications?${query}`)
}

/** A link without single sign-on, which nobody is bound to. */
const create = (target: Target, displayLabel: string) =>
  call<Application>(target, 'POST', '/applications', {
    name: 'bookmark',
    displayLabel,
    displayName: displayLabel,
    description: 'Holds the history of gatehouse import',
    ssoUrl: `${target.baseUrl}/`,
    active: true,
    sso: { hidden: true },
  })

/** The id of the application that imports belong to. With `create`, the default one is created when it is missing. */
export async function findApplication(
  target: Target,
  wanted: string | undefined,
  options: { create: boolean },
): Promise<string> {
  if (wanted !== undefined && /^[0-9a-f]{24}$/.test(wanted)) return wanted
  const name = wanted ?? DEFAULT_NAME
  const [found, other] = await named(target, name)
  if (other)
    throw new OperatorError(`Several applications are called "${name}"; use --application ID`)
  if (found) return found.id
  if (wanted !== undefined || !options.create)
    throw new OperatorError(`There is no application "${name}"`)
  return (await create(target, name)).id
}

/** The imports of one application. */
export function importApi(target: Target, applicationId: string) {
  const base = `/v2/applications/${applicationId}/import`
  const get = <T>(path: string) => call<T>(target, 'GET', `${base}${path}`)
  const post = <T>(path: string, body?: object) => call<T>(target, 'POST', `${base}${path}`, body)
  /** The rows of a job, in the order of the file. */
  async function* rows(id: string, query: Record<string, string> = {}) {
    for (let skip = 0; ; skip += PAGE) {
      const paging = { ...query, limit: String(PAGE), skip: String(skip) }
      const page = await get<ImportResult[]>(`/jobs/${id}/results?${new URLSearchParams(paging)}`)
      yield* page
      if (page.length < PAGE) return
    }
  }
  return {
    async config(): Promise<ImportConfig | null> {
      const response = await request(target, 'GET', `${base}/config`)
      const answer: unknown = await response.json().catch(() => null)
      if (response.ok) return answer as ImportConfig
      const { reason } = answer as { reason?: string }
      if (reason === 'import_not_found') return null
      throw refusal(response.status, answer)
    },
    putConfig: (body: object) => call(target, 'PUT', `${base}/config`, body),
    putFile: (name: string, content: Buffer) =>
      call(target, 'PUT', `${base}/file?${new URLSearchParams({ name })}`, content),
    start: async (body: ImportJobCreate) => (await post<{ _id: string }>('/jobs', body))._id,
    job: (id: string) => get<ImportJob>(`/jobs/${id}`),
    confirm: (id: string) => post<ImportJob>(`/jobs/${id}/confirm`),
    cancel: (id: string) => post<ImportJob>(`/jobs/${id}/cancel`),
    undo: async (id: string) => (await post<{ _id: string }>(`/jobs/${id}/undo`))._id,
    rows,
    async allRows(id: string, query: Record<string, string> = {}): Promise<ImportResult[]> {
      const all: ImportResult[] = []
      for await (const row of rows(id, query)) all.push(row)
      return all
    },
  }
}
