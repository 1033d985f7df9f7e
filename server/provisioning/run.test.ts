import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { clockOf } from '../../test/provisioning/journey.ts'
import { addUser, connectLab, ok, startLab } from '../../test/provisioning/world.ts'

const app = await startApp()
const clock = clockOf(app)

/** Passes requests on to the lab; `before` runs before each. */
async function inFrontOf(target: string, before: (method: string) => Promise<void>) {
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    const { authorization = '', 'content-type': type = '' } = request.headers
    const body = Buffer.concat(await request.toArray())
    await before(method)
    const answer = await fetch(new URL(url, target), {
      method,
      headers: { authorization, ...(type && { 'content-type': type }) },
      ...(body.length > 0 && { body }),
    })
    response.writeHead(answer.status).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  return Object.assign(new URL(target), { port }).href
}

test('a removal does not wait for the rest of a long push', async () => {
  const lab = await startLab()
  let suspend: (() => Promise<unknown>) | undefined
  const url = await inFrontOf(lab.url, async (method) => {
    if (method !== 'POST') return
    // A slow provider.
    clock.pass(10_000)
    await suspend?.()
    suspend = undefined
  })
  const world = await connectLab(app, { url, token: lab.token }, { limits: { concurrency: 1 } })
  const { org } = world
  const leaver = await addUser(org)
  await world.bind('user', leaver.id)
  await app.runDueProvisioning()
  for (let count = 0; count < 3; count++) await world.bind('user', (await addUser(org)).id)
  suspend = async () => ok(await org.put(`/api/systemusers/${leaver.id}`, { suspended: true }))
  const before = lab.store.journal.length
  await app.runDueProvisioning()
  const writes = lab.store.journal.slice(before).map(({ method }) => method)
  assert.deepEqual(
    writes.filter((method) => method !== 'GET'),
    ['POST', 'PATCH', 'POST', 'POST'],
  )
})
