import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { callersOf } from './fuzz/callers.ts'
import { type FuzzRequest, type Route, requestMaker, routesOf } from './fuzz/requests.ts'
import { type Answer, faultsOf } from './fuzz/verdict.ts'
import { furnish, World } from './fuzz/world.ts'
import { startApp } from './harness.ts'
import { seeded } from './insights/random.ts'

// Requests made from the schemas of all routes, and spoilt: whatever is sent, the answer is one that was declared.
// FUZZ_SEED=7 npm test -- test/fuzz tries others; FUZZ_ROUNDS how many requests each route gets.

const seed = Number(process.env.FUZZ_SEED ?? 1)
const rounds = Number(process.env.FUZZ_ROUNDS ?? 10)
console.log(`fuzz: FUZZ_SEED=${seed} FUZZ_ROUNDS=${rounds}`)
const random = seeded(seed)

const app = await startApp({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1/32' } })
await app.http.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.http.server.address() as AddressInfo
const org = await app.newOrganization()
const provider = await app.newProvider()
const world = new World(random)
for (const { adminId } of [org, provider]) world.spare(adminId)
const request = requestMaker(random, world)

/** Its answer does not end by itself: the beginning is looked at, and then the caller leaves. */
const STREAM = '/insights/directory/v1/events/stream'

async function listen({ url, headers }: FuzzRequest): Promise<Answer> {
  const gone = new AbortController()
  const res = await fetch(`http://127.0.0.1:${port}${url}`, { headers, signal: gone.signal })
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

/** Why, as the log tells it: the answer must not. */
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

/** What is made first can be found and changed; deletions come last, and so does the end of a session. */
const ORDER = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE']
const place = ({ method, url }: Route) =>
  /sign-out|agent\/v1\/report/.test(url) ? 5 : ORDER.indexOf(method)

test('no request makes the service fail, or tell more than it should', async () => {
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
    // First as they are meant, so that there is something to be found; then wilder from round to round.
    for (const route of routes) await ask(route, round / rounds, credentialFor)
    for (const { get } of [org, provider])
      assert.equal((await get('/api/users/getSelf')).statusCode, 200, `round ${round}`)
  }
  await app.runDueJobs()
  // What was accepted must not fail later either.
  for (const line of app.lines)
    if (line.includes('"msg":"job failed"')) found.set(line.slice(0, 200), line.slice(0, 2000))
  const asked = `${routes.length * rounds} requests to ${routes.length} routes`
  console.log(`fuzz: ${asked} in ${Math.round((Date.now() - started) / 1000)} s`)
  assert.equal(found.size, 0, [...found.values()].join('\n\n'))
})
