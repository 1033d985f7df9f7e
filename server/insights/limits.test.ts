import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { asOwner } from '../../test/cluster.ts'
import { startApp } from '../../test/harness.ts'

const app = await startApp({ searchTimeoutMs: 200 })
const EVENTS = '/insights/directory/v1/events'
const all = { service: ['all'], start_time: '2026-01-01T00:00:00Z' }

test('a search that takes too long is 503, and other work goes on meanwhile', async () => {
  const org = await app.newOrganization()
  await asOwner(app.owner, async (client) => {
    await client.query('begin')
    // Nobody can read events now, so every search runs into its time limit.
    await client.query('lock table events in access exclusive mode')
    const searches = Array.from({ length: 6 }, () => org.post(EVENTS, all))
    const read = await org.get(`/api/organizations/${org.organizationId}`)
    assert.equal(read.statusCode, 200, 'a point read does not wait for them')
    for (const search of await Promise.all(searches)) {
      assert.equal(search.statusCode, 503)
      assert.match(search.json().message, /took too long/)
    }
    await client.query('rollback')
  })
  assert.equal((await org.post(EVENTS, all)).statusCode, 200)
})

test('a fifth body at once is turned away with 429 and Retry-After', async () => {
  const org = await app.newOrganization()
  const baseUrl = await app.http.listen({ port: 0, host: '127.0.0.1' })
  const url = new URL('/insights/directory/v1/ingest', baseUrl)
  const headers = { 'x-api-key': org.apiKey, 'content-type': 'application/x-ndjson' }
  const line = (id: string) =>
    `${JSON.stringify({ id, service: 'sso', event_type: 'sso_auth', timestamp: new Date().toISOString() })}\n`
  const send = (body: string) => fetch(url, { method: 'POST', headers, body })

  // All five stay open, so whichever comes last is the one too many.
  const open = Array.from({ length: 5 }, (_, at) => {
    const sending = request(url, { method: 'POST', headers })
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      sending.on('response', (response) => resolve(response.resume())).on('error', reject)
    })
    sending.write(line(`open-${at}`))
    return { sending, answer }
  })
  const first = await Promise.race(open.map(({ answer }) => answer))
  assert.equal(first.statusCode, 429)
  assert.ok(Number(first.headers['retry-after']) >= 1)
  for (const { sending } of open) sending.end()
  const answers = await Promise.all(open.map(({ answer }) => answer))
  assert.deepEqual(answers.map((answer) => answer.statusCode).sort(), [200, 200, 200, 200, 429])
  assert.equal((await send(line('after'))).status, 200)
})
