import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { RequestHandler } from 'express'
import { randomToken } from '../../server/platform/secrets.ts'
import { startApp } from '../harness.ts'
import { startScimServer } from '../scim/server.ts'
import { clockOf, heldBy } from './journey.ts'
import { addUser, connectLab, ok, startLab } from './world.ts'

const app = await startApp()
const clock = clockOf(app)

const secret = `s3cret-${randomToken(12)}`
const basic = Buffer.from(`svc:${secret}`).toString('base64')
const KINDS = {
  bearer: [{ type: 'bearer', token: secret }, 'authorization', `Bearer ${secret}`],
  basic: [{ type: 'basic', username: 'svc', password: secret }, 'authorization', `Basic ${basic}`],
  header: [{ type: 'header', name: 'X-Api-Key', value: secret }, 'x-api-key', secret],
} as const

/** Takes what a server behind would take, and refuses users of a certain name by repeating all that it was sent. */
const gate =
  (header: string, expected: string): RequestHandler =>
  (request, response, next) => {
    const sent = request.header(header)
    if (sent !== expected) return void response.status(401).json({ detail: `Wrong: ${sent}` })
    if (request.method === 'POST' && String(request.body?.userName).startsWith('refused.'))
      return void response.status(400).json({ detail: `Not with ${sent}` })
    request.headers.authorization = 'Bearer scim-token'
    next()
  }

type World = Awaited<ReturnType<typeof connectLab>>

/** In no answer of the API, event or line of the log. */
async function assertHidden({ org, path }: World, ...secrets: string[]) {
  const texts = [JSON.stringify(await org.events()), ...app.lines]
  for (const url of [path, `${path}/status`, `${path}/users`, `${path}/plan`])
    texts.push(ok(await org.get(url)).body)
  for (const one of secrets) assert.ok(!texts.some((text) => text.includes(one)))
}

for (const [kind, [auth, header, expected]] of Object.entries(KINDS))
  test(`${kind}: accounts are written; a refusal that repeats the secret does not show it`, async () => {
    const server = await startScimServer({ intercept: gate(header, expected) })
    after(server.close)
    const world = await connectLab(app, server, { auth })
    const { org, path } = world
    const [user, refused] = [
      await addUser(org),
      await addUser(org, { username: `refused.${kind}`, email: `refused.${kind}@example.com` }),
    ]
    await world.bind('user', user.id)
    await world.bind('user', refused.id)
    await clock.settle(world)
    assert.deepEqual(Object.keys(heldBy(server).users), [user.id])
    const { parked, error } = await world.account(refused.id)
    assert.equal(parked, true)
    assert.match(error, /Not with/)
    await assertHidden(world, secret, basic)

    const wrong = { ...auth, [Object.keys(auth).at(-1)!]: `${secret}-wrong` }
    ok(await org.put(path, { ...world.body, auth: wrong }))
    ok(await org.put(`/api/systemusers/${user.id}`, { jobTitle: 'Baker' }))
    const { status, statusReason } = await clock.settle(world)
    assert.equal(status, 'stopped')
    assert.match(statusReason, /401/)
    assert.ok(!JSON.stringify(ok(await org.post(`${path}/test`)).json()).includes(secret))
    await assertHidden(world, secret, basic)
    ok(await org.put(path, { ...world.body, auth }))
    ok(await org.post(`${path}/activate`))
    await clock.settle(world)
    assert.equal(heldBy(server).users[user.id]!.title, 'Baker')
    ok(await org.post(`${path}/deactivate`))
  })

test('oauth: one token serves many requests, and another is fetched when it expires or is refused', async () => {
  /** After so many requests the clock of the provider jumps, and its tokens expire. */
  let jumpAfter = Number.POSITIVE_INFINITY
  const requests = (): number => lab.store.journal.length
  const lab = await startLab({
    profile: 'oauth',
    now: () => clock.now() + (requests() >= jumpAfter ? 100_000 : 0),
  })
  const auth = {
    type: 'oauth',
    tokenUrl: new URL('/oauth/token', lab.url).href,
    clientId: 'lab',
    clientSecret: lab.token,
  }
  const world = await connectLab(app, lab, { auth })
  const { org, path } = world
  const tokens = () =>
    lab.store.journal.filter(({ path, status }) => path === '/oauth/token' && status === 200).length
  const bindNew = async (count = 1) => {
    for (let at = 0; at < count; at++) await world.bind('user', (await addUser(org)).id)
    await clock.settle(world)
    assert.equal(
      lab.store.users.size,
      (await world.status()).users.provisioned,
      JSON.stringify(await world.status()),
    )
  }
  await bindNew(10)
  const first = tokens()
  assert.ok(first <= 2, `${first} tokens for ten users`)
  clock.pass(60_000)
  await bindNew()
  assert.ok(tokens() > first, 'it has expired')
  assert.equal(lab.store.users.size, 11)

  // In the middle of a run: refused, renewed, and nothing fails.
  jumpAfter = requests() + 3
  await bindNew()
  assert.ok(lab.store.journal.some(({ status }) => status === 401))
  assert.equal(lab.store.users.size, 12)
  const failures = (await world.provisioningEvents()).filter(({ success }) => success === false)
  assert.deepEqual(failures, [])
  await assertHidden(world, lab.token)

  ok(await org.put(path, { ...world.body, auth: { ...auth, clientSecret: `${lab.token}-wrong` } }))
  await world.bind('user', (await addUser(org)).id)
  const { status, statusReason } = await clock.settle(world)
  assert.equal(status, 'stopped')
  assert.match(statusReason, /token/)
  await assertHidden(world, lab.token)
  ok(await org.put(path, world.body))
  ok(await org.post(`${path}/activate`))
  await clock.settle(world)
  assert.equal(lab.store.users.size, 13)
})
