import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { after, test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { createAuthenticate } from '../../admins/index.ts'
import { sql } from '../../platform/db/sql.ts'
import { registerAuthorization } from '../../platform/http/authorize.ts'
import { createServer } from '../../platform/http/server.ts'
import { createLog } from '../../platform/log.ts'
import type { Shares } from '../../platform/quota.ts'
import { type StreamTimes, streamRoutes } from './routes.ts'

const app = await startApp({ alone: true })
const PREFIX = '/insights/directory/v1'
const STREAM = `${PREFIX}/events/stream`
const OFTEN: StreamTimes = { heartbeatMs: 5, stalledMs: 60_000 }
const shareOf = (count: number): Shares => ({ principal: count, tenant: count, process: count })

/** Only the stream routes, with short times. `logged` resolves with a line that contains the text. */
async function serve(times: StreamTimes, shares = shareOf(100)) {
  const waiting: { text: string; found: () => void }[] = []
  const sink = new Writable({
    write(chunk, _, done) {
      for (const { text, found } of waiting) if (String(chunk).includes(text)) found()
      done()
    },
  })
  const http = await createServer(app.config, createLog('info', sink))
  registerAuthorization(http, createAuthenticate(app.contexts.admins))
  const authenticate = createAuthenticate(app.contexts.admins, { touch: false })
  await http.register(streamRoutes, {
    prefix: PREFIX,
    db: app.db,
    authenticate,
    limits: app.config.limits,
    times,
    shares,
  })
  const url = await http.listen({ port: 0, host: '127.0.0.1' })
  after(() => {
    // Kept-alive connections would delay closing for seconds.
    http.server.closeAllConnections()
    return http.close()
  })
  const logged = (text: string) =>
    new Promise<void>((found) => {
      waiting.push({ text, found })
    })
  return { url: url + STREAM, port: Number(new URL(url).port), logged }
}

async function open(url: string, headers: Record<string, string>) {
  const stop = new AbortController()
  const response = await fetch(url, { headers, signal: stop.signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  return {
    response,
    /** Reads until the text arrives; false when the service ends the stream first. */
    async until(text: string): Promise<boolean> {
      for (let seen = ''; !seen.includes(text); ) {
        const { done, value } = await reader.read()
        if (done) return false
        seen += value
      }
      return true
    },
    async close() {
      stop.abort()
      await reader.cancel().catch(() => {})
    },
  }
}
const NEVER = 'a text that no stream contains'

async function signIn(person: { email: string; password: string }): Promise<string> {
  const { email, password } = person
  const res = await app.anonymous.post('/auth/sign-in', { email, password })
  const [cookie] = res.cookies
  return `${cookie!.name}=${cookie!.value}`
}

test('a quiet stream sends heartbeats, each with the cursor', async () => {
  const org = await app.newOrganization()
  const { url } = await serve(OFTEN)
  const stream = await open(url, { 'x-api-key': org.apiKey })
  assert.ok(await stream.until(':\nid: '))
  assert.ok(await stream.until(':\nid: '))
  await stream.close()
})

test('a quiet stream ends when its key is revoked', async () => {
  const org = await app.newOrganization()
  const { url } = await serve(OFTEN)
  const stream = await open(url, { 'x-api-key': org.apiKey })
  assert.ok(await stream.until(':\nid: '))
  const second = await app.addAdministrator(org.organizationId)
  const other = await open(url, { 'x-api-key': second.apiKey })
  assert.equal((await org.delete(`/api/users/${second.id}`)).statusCode, 200)
  assert.equal(await other.until(NEVER), false)
  assert.ok(await stream.until(':\nid: '), 'that of another key continues')
  await stream.close()
})

test('a stream does not keep its session alive, and ends with it', async () => {
  const org = await app.newOrganization()
  const { url } = await serve(OFTEN)
  const cookie = await signIn(org)
  const stream = await open(url, { cookie })
  assert.equal(stream.response.status, 200)
  const seenAt = async () =>
    (await app.db.one<{ at: string }>(
      sql`select seen_at as at from sessions where administrator_id = ${org.adminId}`,
    ))!.at
  await app.db.run(
    sql`update sessions set seen_at = now() - interval '59 minutes' where administrator_id = ${org.adminId}`,
  )
  const before = await seenAt()
  for (let beats = 0; beats < 3; beats++) assert.ok(await stream.until(':\nid: '))
  assert.equal(await seenAt(), before)
  await app.db.run(
    sql`update sessions set seen_at = now() - interval '61 minutes' where administrator_id = ${org.adminId}`,
  )
  assert.equal(await stream.until(NEVER), false)

  const again = await signIn(org)
  const signedOut = await open(url, { cookie: again })
  assert.ok(await signedOut.until(':\nid: '))
  await app.db.run(sql`delete from sessions where administrator_id = ${org.adminId}`)
  assert.equal(await signedOut.until(NEVER), false)
})

test('streams over the limit get 429 until one ends', async () => {
  const org = await app.newOrganization()
  const { url } = await serve(OFTEN, shareOf(2))
  const headers = { 'x-api-key': org.apiKey }
  const [first, second] = [await open(url, headers), await open(url, headers)]
  const refused = await fetch(url, { headers })
  assert.equal(refused.status, 429)
  assert.equal(refused.headers.get('retry-after'), '5')
  assert.match(((await refused.json()) as { message: string }).message, /streams/)
  await first.close()
  // The server notices the disconnect a moment later.
  let third = await open(url, headers)
  while (third.response.status === 429) third = await open(url, headers)
  assert.equal(third.response.status, 200)
  await second.close()
  await third.close()
})

test('one key or tenant cannot use up all streams', async () => {
  const org = await app.newOrganization()
  const [second, third] = [
    await app.addAdministrator(org.organizationId),
    await app.addAdministrator(org.organizationId),
  ]
  const other = await app.newOrganization()
  const { url } = await serve(OFTEN, { principal: 1, tenant: 2, process: 3 })
  const as = ({ apiKey }: { apiKey: string }) => open(url, { 'x-api-key': apiKey })
  const refusal = async (who: { apiKey: string }) => {
    const refused = await fetch(url, { headers: { 'x-api-key': who.apiKey } })
    assert.equal(refused.status, 429)
    return ((await refused.json()) as { message: string }).message
  }
  const opened = [await as(org)]
  assert.match(await refusal(org), /1 at once .* one administrator .*GATEHOUSE_STREAMS/)
  opened.push(await as(second))
  assert.match(await refusal(third), /2 at once .* one organization/)
  opened.push(await as(other))
  for (const { response } of opened) assert.equal(response.status, 200)
  assert.match(await refusal(await app.newOrganization()), /3 at once .* all callers/)
  for (const stream of opened) await stream.close()
})

test('a stalled client is disconnected and frees its slot', async () => {
  const org = await app.newOrganization()
  // More than the network buffers hold.
  const events = Array.from({ length: 40 }, (_, at) => ({
    id: `large-${at}`,
    service: 'ldap',
    event_type: 'search',
    timestamp: new Date(Date.now() - 60_000 + at).toISOString(),
    filter: 'x'.repeat(500_000),
  }))
  for (let at = 0; at < events.length; at += 10) {
    const payload = events.slice(at, at + 10).map((event) => JSON.stringify(event))
    const res = await app.http.inject({
      method: 'POST',
      url: `${PREFIX}/ingest`,
      headers: { 'x-api-key': org.apiKey, 'content-type': 'application/x-ndjson' },
      payload: payload.join('\n'),
    })
    assert.equal(res.json().stored, 10)
  }
  const { url, port, logged } = await serve({ ...OFTEN, stalledMs: 50 }, shareOf(1))
  const cutOff = logged('an event stream was aborted')
  const place = `${Date.now() - 120_000}:00000000-0000-0000-0000-000000000000`
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(
    `GET ${STREAM}?last_event_id=${place} HTTP/1.1\r\nHost: x\r\nx-api-key: ${org.apiKey}\r\n\r\n`,
  )
  await cutOff
  let next = await open(url, { 'x-api-key': org.apiKey })
  while (next.response.status === 429) next = await open(url, { 'x-api-key': org.apiKey })
  assert.equal(next.response.status, 200)
  await next.close()
  socket.destroy()
})

test('streams do not count as request durations; refusals do', async () => {
  const org = await app.newOrganization()
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  const base = await app.http.listen({ port: 0, host: '127.0.0.1' })
  const stream = await open(base + STREAM, { 'x-api-key': org.apiKey })
  assert.ok(await stream.until('id: '))
  // Ended by the service, so that its response is complete.
  await app.db.run(sql`update administrators set suspended = true where id = ${org.adminId}`)
  app.contexts.admins.cache.clear()
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute(
      "insert into events (organization_id, timestamp, id, service, document) values ($1, now(), gen_random_uuid(), 'ldap', '{}')",
      [org.organizationId],
    ),
  )
  assert.equal(await stream.until(NEVER), false)
  assert.equal((await runner.get(STREAM)).statusCode, 403)
  const { body } = await app.anonymous.get('/metrics')
  const counts = body.split('\n').filter((line) => /_count\{.*events\/stream/.test(line))
  assert.equal(counts.length, 1, counts.join('\n'))
  assert.match(counts[0]!, /status="403"/)
})
