import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import { type FaultSettings, Faults } from '../../lab/scim/faults.ts'
import { startApp } from '../harness.ts'
import { startScimServer } from '../scim/server.ts'
import { clockOf, heldBy, journey } from './journey.ts'
import { connectLab, ok } from './world.ts'

// The journey of all dialects, at a server that somebody else wrote, with faults in front of it.

const app = await startApp()
const clock = clockOf(app)

/** What a load balancer or a bad network does to requests; the server behind knows nothing of it. */
function disturb(settings: FaultSettings, html = false): RequestHandler {
  const faults = new Faults()
  faults.set({ seed: 20_260, ...settings })
  return async (request, response, next) => {
    const { kind, status, retryAfter, delayMs } = faults.next()
    if (delayMs > 0) await delay(delayMs)
    if (kind === 'cutBefore') return void request.socket.destroy()
    if (kind === 'status') {
      if (retryAfter !== undefined) response.header('retry-after', String(retryAfter))
      const page = '<html><title>Bad gateway</title></html>'
      return void response.status(status).send(html ? page : { detail: 'A fault' })
    }
    // Whatever the server does takes effect; nobody hears of it.
    if (kind === 'cutAfter')
      response.end = () => {
        request.socket.destroy()
        return response
      }
    next()
  }
}

const mislabel: RequestHandler = (_, response, next) => {
  const { setHeader } = response
  response.setHeader = (name, value) =>
    setHeader.call(response, name, /^content-type$/i.test(name) ? 'text/html' : value)
  next()
}

/** Nothing fails under these. */
const HARMLESS: Record<string, RequestHandler> = {
  'no disturbance': (_request, _response, next) => next(),
  'slow answers': disturb({ delayMs: 20 }),
  'JSON labelled as HTML': mislabel,
}

const HARMFUL: Record<string, RequestHandler> = {
  'cut before the commit': disturb({ failRate: 0.2, cutBefore: true, burst: 3 }),
  'cut after the commit': disturb({ failRate: 0.2, cutAfter: true, burst: 3 }),
  'storms of 429': disturb({ failRate: 0.05, status: 429, retryAfter: 30, burst: 12 }),
  'storms of 429 that name no time': disturb({ failRate: 0.05, status: 429, burst: 12 }),
  'many 500s': disturb({ failRate: 0.3 }),
  'pages of a gateway': disturb({ failRate: 0.2, status: 502, burst: 3 }, true),
  'everything at once': disturb({
    failRate: 0.3,
    status: 503,
    cutBefore: true,
    cutAfter: true,
    burst: 2,
    delayMs: 3,
  }),
}

for (const [name, intercept] of Object.entries({ ...HARMLESS, ...HARMFUL }))
  test(`${name}: the independent server holds exactly what it should`, async () => {
    const server = await startScimServer({ intercept })
    after(server.close)
    const world = await connectLab(app, server, {
      groups: { push: true },
      removalLimit: { users: null, percent: null },
    })
    const expected = await journey(world, clock)
    const failed = (await world.provisioningEvents()).some(({ success }) => success === false)
    assert.equal(failed, Object.hasOwn(HARMFUL, name))
    const { users, groups } = heldBy(server)
    assert.equal(expected.status.status, 'active', expected.status.statusReason)
    assert.equal(expected.status.users.parked + expected.status.groups.parked, 0)
    assert.deepEqual(users, { ...expected.present, ...expected.inactive })
    assert.deepEqual(groups, expected.groups)
    ok(await world.org.post(`${world.path}/deactivate`))
  })
