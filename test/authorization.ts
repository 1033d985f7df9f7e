import assert from 'node:assert/strict'
import type { InjectOptions } from 'fastify'
import { BUILT_IN_ROLES, SCOPE_GROUPS } from '../server/admins/roles.ts'
import type { Operation } from '../server/platform/http/openapi.ts'
import { newId } from '../server/platform/ids.ts'
import { signInToConsole } from './console.ts'
import type { Response, startApp } from './harness.ts'

// The authorization matrix: every operation × role × target × credential. Two test files fill it, so that two processes
// can share the work. The expected answer follows from what the route declares, its scopes and its tenant rule, and
// from the table of roles; a new route or role is in the matrix as soon as it exists.
//
//                    own organization   peer   foreign organization   provider
//   session                 ×             ×              ×                ×
//   key                     ×             ×              ×                ×
//   narrowed key            ×             ×              ×                ×
//   service account         ×             ×              ×                ×
//   signed system           ×             ×              ×                ×
//
// A signed system has no role. A peer is another administrator of the same provider, so only operations about an
// administrator have that column; to a system, a peer is another system of its organization.
//
// Requests carry nothing that could be done: unknown ids, empty bodies. A caller who is admitted gets 400 or 404.

type App = Awaited<ReturnType<typeof startApp>>
export type Headers = Record<string, string>
type Table = Record<string, readonly string[]>

export const ROLES: Table = Object.fromEntries(
  BUILT_IN_ROLES.map(({ name, scopes }) => [name, scopes]),
)

export const nameOf = ({ method, hostRootPath }: Operation) => `${method} ${hostRootPath}`
/** One of its scopes, and one of each list that it takes besides. */
export const holdsOne = (
  { scopes, besides, briefWithoutScopes }: Operation,
  held: readonly string[],
) => {
  const holds = (wanted: readonly string[]) => wanted.some((scope) => held.includes(scope))
  return (briefWithoutScopes || scopes!.length === 0 || holds(scopes!)) && besides.every(holds)
}
/** A key belongs to one person: nobody makes one for somebody else, whatever they hold. */
export const isOfItsOwner = (operation: Operation) =>
  nameOf(operation) === 'POST /api/users/{id}/apikey'

/** A credential with the scopes that it must have. */
export interface Holder {
  role: string
  credential: string
  headers: Headers
  held: readonly string[]
}

export interface Cell extends Holder {
  operation: Operation
  status: number
  body: string
}

/** `admitted` is every answer that comes from beyond authorization. */
export type Expected = 'admitted' | 400 | 401 | 403 | 404

export const meets = ({ status }: { status: number }, expected: Expected): boolean =>
  expected === 'admitted' ? ![401, 403].includes(status) && status < 500 : status === expected

export const describe = ({ operation, role, credential, status, body }: Cell): string =>
  `${nameOf(operation)} by ${credential} of ${role}: ${status} ${body.slice(0, 200)}`

/** The cells whose answer is not the expected one. */
export const surprises = (cells: Cell[], expected: (cell: Cell) => Expected): string[] =>
  cells
    .filter((cell) => !meets(cell, expected(cell)))
    .map((cell) => `${describe(cell)} instead of ${expected(cell)}`)

/** One entry is enough, and a stream with an unknown service ends at once. */
function queryOf({ method, hostRootPath, schema }: Operation): string {
  if (hostRootPath.endsWith('/events/stream')) return '?service=unknown'
  const { limit } = (schema.querystring as { properties?: Headers } | undefined)?.properties ?? {}
  return method === 'GET' && limit ? '?limit=1' : ''
}

export const urlOf = (operation: Operation, ids: Headers): string => {
  const path = operation.hostRootPath.replace(/\{(\w+)\}/g, (_, name: string) =>
    operation.tenant === 'path' && name === 'id' ? ids.organization! : (ids[name] ?? newId()),
  )
  return path + queryOf(operation)
}

export async function ask(
  { http }: App,
  operation: Operation,
  headers: Headers,
  ids: Headers,
  body: object = {},
): Promise<{ status: number; body: string }> {
  const { method } = operation
  const res = await http.inject({
    method: method as InjectOptions['method'] & 'GET',
    url: urlOf(operation, ids),
    headers,
    ...(method !== 'GET' && method !== 'DELETE' && { payload: body }),
  })
  return { status: res.statusCode, body: res.body }
}

/** Works through all, a few at a time. */
export async function each<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const next = items.values()
  const worker = async () => {
    for (const item of next) results.push(await work(item))
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  return results
}

type HeadersFor = (operation: Operation) => Headers
const noHeaders: HeadersFor = () => ({})

const fill = (
  app: App,
  ids: Headers,
  headersFor: HeadersFor,
  cells: (Holder & { operation: Operation })[],
): Promise<Cell[]> =>
  each(cells, async (cell) => {
    const headers = { ...cell.headers, ...headersFor(cell.operation) }
    return { ...cell, ...(await ask(app, cell.operation, headers, ids)) }
  })

/** Every operation, or these, by every holder. */
export const askAll = (
  app: App,
  holders: Holder[],
  ids: Headers,
  headersFor = noHeaders,
  operations = operationsOf(app),
): Promise<Cell[]> =>
  fill(
    app,
    ids,
    headersFor,
    holders.flatMap((holder) => operations.map((operation) => ({ ...holder, operation }))),
  )

/**
 * Every operation by every role and by every kind of credential, but not each role by each kind: for targets where most
 * callers are admitted, so that the answers take time.
 */
export const askPairs = (
  app: App,
  holders: Holder[],
  ids: Headers,
  headersFor = noHeaders,
): Promise<Cell[]> => {
  const kinds = [...new Set(holders.map(({ credential }) => credential))]
  const roles = [...new Set(holders.map(({ role }) => role))]
  assert.ok(roles.length >= kinds.length)
  return fill(
    app,
    ids,
    headersFor,
    operationsOf(app).flatMap((operation, at) =>
      holders
        .filter(
          ({ role, credential }) => kinds[(roles.indexOf(role) + at) % kinds.length] === credential,
        )
        .map((holder) => ({ ...holder, operation })),
    ),
  )
}

/** All but public ones. */
export const operationsOf = (app: App): Operation[] =>
  app.operations.filter(({ scopes }) => scopes !== null)

/** Every second area that the scopes are of: half of what a role opens stays closed. */
function half(scopes: readonly string[]): string[] {
  const areas = Object.values(SCOPE_GROUPS)
    .map((area) => area.filter((scope) => scopes.includes(scope)))
    .filter((area) => area.length > 0)
  return areas.filter((_, at) => at % 2 === 0).flat()
}

type Administrator = Awaited<ReturnType<App['addAdministrator']>>

/** Replaces the key of the administrator whose session or key `post` carries. */
export async function narrowedKey(
  app: App,
  { id, post }: Pick<Administrator, 'id' | 'post'>,
  scopes: string[],
): Promise<Headers> {
  const res = await post(`/api/users/${id}/apikey`, { scopes })
  assert.equal(res.statusCode, 200, res.body)
  const { apiKey } = res.json()
  app.secrets.add(apiKey)
  return { 'x-api-key': apiKey }
}

/** A key and a confirmed session of one administrator with the role, a narrowed key of another, a service account. */
export async function credentialsOf(
  app: App,
  role: string,
  add: () => Promise<Administrator>,
  addServiceAccount: (account: object) => Promise<Response>,
): Promise<Holder[]> {
  const [admin, narrow] = [await add(), await add()]
  const session = await signInToConsole(app.http, admin)
  await session.confirm()
  const held = ROLES[role]!
  const narrowed = await narrowedKey(app, narrow, half(held))
  const account = await addServiceAccount({
    name: `Robot ${role}`,
    roleId: BUILT_IN_ROLES.find(({ name }) => name === role)!.id,
    authConfig: { authType: 'API_KEY' },
  })
  assert.equal(account.statusCode, 200, account.body)
  const { apiKey } = account.json().serviceAccount.authConfigList[0].apiKeyConfig
  app.secrets.add(apiKey)
  return [
    { role, credential: 'a key', headers: { 'x-api-key': admin.apiKey }, held },
    { role, credential: 'a session', headers: session.headers, held },
    { role, credential: 'a narrowed key', headers: narrowed, held: half(held) },
    { role, credential: 'a service account', headers: { 'x-api-key': apiKey }, held },
  ]
}
