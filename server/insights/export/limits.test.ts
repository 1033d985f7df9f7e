import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { tempDirectory } from '../../../test/database.ts'
import { startApp } from '../../../test/harness.ts'
import { until } from '../../../test/until.ts'
import { createAuthenticate } from '../../admins/index.ts'
import { openDb } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'
import { registerAuthorization } from '../../platform/http/authorize.ts'
import { createServer } from '../../platform/http/server.ts'
import { createLog } from '../../platform/log.ts'
import { PAGE } from './export.ts'
import { exportRoutes } from './routes.ts'

const app = await startApp()
const PREFIX = '/insights/directory/v1'
const DAY = 86_400_000
const ROWS = 5 * PAGE
const all = {
  service: ['all'],
  start_time: new Date(Date.now() - 30 * DAY).toISOString(),
  format: 'ndjson',
}

let org: Awaited<ReturnType<typeof app.newOrganization>>
before(async () => {
  org = await app.newOrganization()
  const events = Array.from({ length: ROWS }, (_, at) => ({
    id: `event-${at}`,
    service: 'directory',
    event_type: 'user_update',
    timestamp: new Date(Date.now() - DAY + at).toISOString(),
    error_message: 'x'.repeat(700),
  }))
  assert.equal((await org.post(`${PREFIX}/ingest`, events)).json().stored, ROWS)
})

let servers = 0
/** Only the export, on a single database connection; a unix socket has small buffers. */
async function serve(stalledMs: number) {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const db = openDb(app.service, { max: 1 })
  const http = await createServer(app.config, createLog('info', sink))
  registerAuthorization(http, createAuthenticate(app.contexts.admins))
  const authenticate = createAuthenticate(app.contexts.admins, { touch: false })
  await http.register(exportRoutes, {
    prefix: PREFIX,
    db,
    limits: app.config.limits,
    authenticate,
    stalledMs,
    shares: app.config.exports,
    searchSeconds: 60,
  })
  const socketPath = join(tempDirectory(), `export-${++servers}.sock`)
  await http.listen({ path: socketPath })
  after(async () => {
    http.server.closeAllConnections()
    await http.close()
    await db.close()
  })
  return {
    db,
    /** Starts an export without reading it. */
    async open(apiKey: string) {
      const connected = once(http.server, 'connection')
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
      const request = httpRequest({
        socketPath,
        path: `${PREFIX}/events/export`,
        method: 'POST',
        agent: false,
        headers,
      })
      request.end(JSON.stringify(all))
      const [server] = (await connected) as [Socket]
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      response.on('error', () => {})
      return { response, server }
    },
    brokenOff: () => lines.filter((line) => line.includes('an export was aborted')),
  }
}

test('a client that reads nothing holds no connection to the database', async () => {
  const { db, open } = await serve(600_000)
  const { response, server } = await open(org.apiKey)
  await until('the client is slower', () => server.writableNeedDrain)
  assert.deepEqual(await db.many(sql`select 1 as one`), [{ one: 1 }])
  assert.equal((await text(response)).split('\n').length - 1, ROWS)
})

test('stalled clients lose their slots to others', async () => {
  const { open, brokenOff } = await serve(600_000)
  // More than there are slots.
  for (let at = 1; at <= 10; at++) {
    const { response, server } = await open(org.apiKey)
    assert.equal(response.statusCode, 200)
    await until('the client is slower', () => server.writableNeedDrain)
    assert.equal(server.timeout, 600_000)
    // From the start, so short a time would also end an export that waits for the database.
    server.setTimeout(1)
    await until('the export is aborted', () => brokenOff().length === at)
    await assert.rejects(text(response))
    assert.equal(response.complete, false)
  }
})

test('one key cannot use up all exports', async () => {
  const { open } = await serve(600_000)
  const second = await app.addAdministrator(org.organizationId)
  const opened = [await open(org.apiKey), await open(org.apiKey)]
  const refused = await open(org.apiKey)
  assert.equal(refused.response.statusCode, 429)
  assert.ok(Number(refused.response.headers['retry-after']) >= 1)
  assert.match(await text(refused.response), /2 at once .* one administrator .*GATEHOUSE_EXPORTS/)
  opened.push(await open(second.apiKey))
  for (const { response } of opened) {
    assert.equal(response.statusCode, 200)
    assert.ok((await text(response)).length > 0)
  }
})

test('an export is aborted when its key is revoked', async () => {
  const { open, brokenOff } = await serve(600_000)
  const second = await app.addAdministrator(org.organizationId)
  const [ended, other] = [await open(second.apiKey), await open(org.apiKey)]
  for (const { server } of [ended, other])
    await until('the client is slower', () => server.writableNeedDrain)
  assert.equal((await org.delete(`/api/users/${second.id}`)).statusCode, 200)
  await assert.rejects(text(ended.response))
  assert.equal(ended.response.complete, false)
  assert.equal(JSON.parse(brokenOff()[0]!).err.reason, 'access_ended')
  assert.ok((await text(other.response)).length > 0, 'that of another key continues')
  assert.equal(other.response.complete, true)
})

test('an export is aborted when its key may no longer read events', async () => {
  const { open } = await serve(600_000)
  const second = await app.addAdministrator(org.organizationId)
  const { response, server } = await open(second.apiKey)
  await until('the client is slower', () => server.writableNeedDrain)
  const role = { roleName: 'Command Runner' }
  assert.equal((await org.put(`/api/users/${second.id}`, role)).statusCode, 200)
  await assert.rejects(text(response))
})
