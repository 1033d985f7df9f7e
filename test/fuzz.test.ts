import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callersOf } from './fuzz/callers.ts'
import { type FuzzRequest, type Route, requestMaker, routesOf } from './fuzz/requests.ts'
import { type Answer, faultsOf } from './fuzz/verdict.ts'
import { furnish, World } from './fuzz/world.ts'
import { startApp } from './harness.ts'
import { seeded } from './insights/random.ts'

// Requests generated from the schemas of all routes, then mutated: every response must be a declared one.
// FUZZ_SEED=7 npm test -- test/fuzz generates others; FUZZ_ROUNDS sets the number of requests per route.

const seed = Number(process.env.FUZZ_SEED ?? 1)
const rounds = Number(process.env.FUZZ_ROUNDS ?? 10)
console.log(`fuzz: FUZZ_SEED=${seed} FUZZ_ROUNDS=${rounds}`)
const random = seeded(seed)

// Alone: wrong sign-ins would block the address for other files.
const app = await startApp({ alone: true })
const base = await app.listen()
const org = await app.newOrganization()
const provider = await app.newProvider()
const world = new World(random)
for (const { adminId } of [org, provider]) world.spare(adminId)
const request = requestMaker(random, world)

/** An endless response: check the start, then disconnect. */
const STREAM = '/insights/directory/v1/events/stream'

async function listen({ url, headers }: FuzzRequest): Promise<Answer> {
  const gone = new AbortController()
  const res = await fetch(`${base}${url}`, { headers, signal: gone.signal })
  const body = res.ok ? '' : await res.text()
  gone.abort()
  return { statusCode: res.status, headers: Object.fromEntries(res.headers), body }
}

const send = ({ method, url, headers, payload }: FuzzRequest): Promise<Answer> =>
  app.http.inject({
    method: method as 'GET',
    url,
    headers,
    ...(payload !== undefined && { payload }),
  })

const shown = ({ method, url, headers, payload = '' }: FuzzRequest): string =>
  [
    `${method} ${url.slice(0, 600)}`,
    JSON.stringify(headers).slice(0, 600),
    payload.slice(0, 1200),
  ].join('\n  ')

/** The cause from the log, which the response must not reveal. */
const lastError = (): string => {
  const line = app.lines.findLast((one) => JSON.parse(one).level >= 50)
  return line === undefined ? '' : String(JSON.parse(line).err?.stack ?? line).slice(0, 1500)
}

const found = new Map<string, string>()

type Callers = Awaited<ReturnType<typeof callersOf>>

async function ask(route: Route, wild: number, credentialFor: Callers): Promise<void> {
  const made = request(route, wild)
  const sent = { ...made, headers: { ...credentialFor(made), ...made.headers } }
  const before = app.problems.length
  const answer = await (route.url === STREAM ? listen(sent) : send(sent))
  const faults = [...faultsOf(route.url, answer), ...app.problems.slice(before)]
  if (faults.length > 0) {
    const why = answer.statusCode >= 500 ? lastError() : answer.body.slice(0, 400)
    const where = `${route.method} ${route.url}: ${faults.join('; ')}`
    const kind = `${where} ${why.split('\n').slice(0, 2).join()}`
    if (!found.has(kind)) found.set(kind, `${where}\n  ${shown(sent)}\n  ${why}`)
  }
  const { 'content-type': type, 'content-encoding': packed } = answer.headers
  if (answer.statusCode < 300 && /^application\/json/.test(String(type)) && packed === undefined)
    world.learn(route.url, JSON.parse(answer.body))
}

/** Create first, so that records can be found and changed; delete and sign out last. */
const ORDER = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE']
const place = ({ method, url }: Route) =>
  /sign-out|agent\/v1\/report/.test(url) ? 5 : ORDER.indexOf(method)

test('no request makes the service fail or reveal internals', async () => {
  const routes = routesOf(app.routes).sort((a, b) => place(a) - place(b))
  assert.ok(routes.length >= app.operations.length)
  await furnish(app, org, world)
  world.add('/api/v2/providers', provider.providerId)
  for (const id of provider.organizationIds) world.add('/api/organizations', id)
  const other = await app.newOrganization()
  const group = (await other.post('/api/v2/usergroups', { name: 'x' })).json()
  world.addForeign(other.organizationId, other.adminId, group.id)

  const started = Date.now()
  for (let round = 0; round < rounds; round++) {
    const credentialFor = await callersOf(app, org, provider, world, random)
    // First valid, so that there are records to find; then wilder from round to round.
    for (const route of routes) await ask(route, round / rounds, credentialFor)
    for (const { get } of [org, provider])
      assert.equal((await get('/api/users/getSelf')).statusCode, 200, `round ${round}`)
  }
  await app.runDueJobs()
  // Jobs of accepted requests must not fail either.
  for (const line of app.lines)
    if (line.includes('"msg":"job failed"')) found.set(line.slice(0, 200), line.slice(0, 2000))
  const asked = `${routes.length * rounds} requests to ${routes.length} routes`
  console.log(`fuzz: ${asked} in ${Math.round((Date.now() - started) / 1000)} s`)
  assert.equal(found.size, 0, [...found.values()].join('\n\n'))
})
