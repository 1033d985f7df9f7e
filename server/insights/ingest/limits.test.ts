import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startApp } from '../../../test/harness.ts'

const app = await startApp({ env: { GATEHOUSE_INGEST_BODIES: '2,3,4' } })
const base = await app.http.listen({ port: 0, host: '127.0.0.1' })
const PATH = '/insights/directory/v1/ingest'

const line = (id: string) =>
  `${JSON.stringify({ id, service: 'radius', event_type: 'radius_auth', timestamp: new Date().toISOString() })}\n`

/** A body that is not finished yet. */
function begin(url: string, apiKey: string, headers: Record<string, string> = {}) {
  const sending = request(new URL(PATH, url), {
    method: 'POST',
    agent: false,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/x-ndjson', ...headers },
  })
  const answer = once(sending, 'response').then(async ([response]) => ({
    response: response as IncomingMessage,
    body: (await json(response as IncomingMessage)) as Record<string, unknown>,
  }))
  // After a rejection the connection is closed during the upload.
  sending.on('error', () => {})
  return { sending, answer }
}

/** Keeps sending, a little at a time, until stopped. */
function keepAlive(sending: ClientRequest): () => void {
  const timer = setInterval(() => sending.write('\n'), 20)
  return () => {
    clearInterval(timer)
    sending.end()
  }
}

test('requests of one key, then of one tenant, are rejected before those of others', async () => {
  const org = await app.newOrganization()
  const second = await app.addAdministrator(org.organizationId)
  const other = await app.newOrganization()
  const whole = async (apiKey: string) => {
    const { sending, answer } = begin(base, apiKey)
    sending.end(line('whole'))
    return (await answer).response.statusCode
  }
  // Warms the key cache: from then on slots are taken in the order of arrival.
  for (const { apiKey } of [org, second, other]) assert.equal(await whole(apiKey), 200)
  const open: ReturnType<typeof begin>[] = []
  const start = async (apiKey: string) => {
    const arrived = once(app.http.server, 'request')
    const { sending, answer } = begin(base, apiKey)
    sending.write(line(`open-${open.length}`))
    await arrived
    open.push({ sending, answer })
  }
  const refused = async (apiKey: string) => {
    const { sending, answer } = begin(base, apiKey)
    sending.end(line('refused'))
    const { response, body } = await answer
    assert.deepEqual([response.statusCode, body.reason], [429, 'ingest_busy'], JSON.stringify(body))
    assert.ok(Number(response.headers['retry-after']) >= 1)
    return String(body.message)
  }
  await start(org.apiKey)
  await start(org.apiKey)
  assert.match(
    await refused(org.apiKey),
    /2 at once .* one administrator .*GATEHOUSE_INGEST_BODIES/,
  )
  await start(second.apiKey)
  assert.match(await refused(second.apiKey), /3 at once .* one organization/)
  await start(other.apiKey)
  for (const { sending } of open) sending.end()
  for (const { answer } of open) assert.equal((await answer).response.statusCode, 200)
  assert.equal(await whole(org.apiKey), 200)
})

test('a stalled body is 400 and releases its slot', async () => {
  const brief = await startApp({ env: { GATEHOUSE_INGEST_IDLE_SECONDS: '0.1' } })
  const url = await brief.http.listen({ port: 0, host: '127.0.0.1' })
  const org = await brief.newOrganization()
  for (const gzip of [false, true, false]) {
    const open = [1, 2].map(() =>
      begin(url, org.apiKey, gzip ? { 'content-encoding': 'gzip' } : {}),
    )
    for (const { sending } of open) {
      const text = line('stalled')
      sending.write(gzip ? gzipSync(text).subarray(0, 20) : text)
    }
    for (const { answer } of open) {
      const { response, body } = await answer
      assert.equal(response.statusCode, 400)
      assert.equal(response.headers.connection, 'close')
      assert.equal(body.reason, 'body_stalled')
      assert.match(String(body.message), /No data received for 0\.1 s/)
    }
  }
})

test('a body that takes too long is 400', async () => {
  const brief = await startApp({ env: { GATEHOUSE_INGEST_SECONDS: '0.3' } })
  const url = await brief.http.listen({ port: 0, host: '127.0.0.1' })
  const org = await brief.newOrganization()
  const { sending, answer } = begin(url, org.apiKey)
  sending.write(line('first'))
  const end = keepAlive(sending)
  const { response, body } = await answer
  end()
  assert.equal(response.statusCode, 400)
  assert.equal(body.reason, 'body_too_slow')
  assert.match(String(body.message), /longer than 0\.3 s/)
})

test('an ordinary body that trickles in is cut off, in the error format of its API family', async () => {
  const brief = await startApp({ env: { GATEHOUSE_BODY_SECONDS: '0.1' } })
  const url = await brief.http.listen({ port: 0, host: '127.0.0.1' })
  const org = await brief.newOrganization()
  for (const path of ['/api/v2/roles', '/insights/directory/v1/events', '/auth/sign-in']) {
    const sending = request(new URL(path, url), {
      method: 'POST',
      agent: false,
      headers: { 'x-api-key': org.apiKey, 'content-type': 'application/json' },
    })
    sending.on('error', () => {})
    sending.write('{"name":"')
    const timer = setInterval(() => sending.write('x'), 20)
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    clearInterval(timer)
    assert.equal(response.statusCode, 400, path)
    assert.equal(response.headers.connection, 'close')
    const { message } = (await json(response)) as { message: string }
    assert.match(message, /did not arrive within 0\.1 s/)
  }
})
