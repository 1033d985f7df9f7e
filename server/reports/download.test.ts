import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { tempDirectory } from '../../test/database.ts'
import { startApp } from '../../test/harness.ts'
import { until } from '../../test/until.ts'

const app = await startApp({ env: { GATEHOUSE_DOWNLOADS: '1,2,3' } })
const URL = '/insights/directory/v1/reports'
// A Unix socket: its kernel buffers are small and do not grow.
const socketPath = join(tempDirectory(), 'reports.sock')
await app.http.listen({ path: socketPath })

const PEOPLE = 4000

/** The path of a file with many pieces. */
async function largeFile(org: Awaited<ReturnType<typeof app.newOrganization>>): Promise<string> {
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute(
      `insert into users (organization_id, id, username, email, firstname, state, unix_uid, unix_guid, creation_source)
       select $1, lpad(to_hex(n), 24, '0'), 'user' || n, 'user' || n || '@example.com', repeat('x', 500), 'ACTIVATED',
              10000 + n, 10000 + n, 'test'
         from generate_series(1, ${PEOPLE}) n`,
      [org.organizationId],
    ),
  )
  assert.equal((await org.post(`${URL}/user-account-health`)).statusCode, 202)
  await app.runDueJobs()
  const [{ id, artifacts }] = (await org.get(URL)).json()
  const json = artifacts.find(({ format }: { format: string }) => format === 'JSON')
  return `${URL}/${id}/artifacts/${json.id}/content`
}

/** Starts a download and reads nothing until the service is blocked by backpressure. */
async function open(path: string, apiKey: string): Promise<IncomingMessage> {
  const connected = once(app.http.server, 'connection')
  const request = httpRequest({ socketPath, path, agent: false, headers: { 'x-api-key': apiKey } })
  request.end()
  const [server] = (await connected) as [Socket]
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  await until('more than the client takes', () => server.writableNeedDrain)
  return response
}

test('a download is aborted when its key is revoked; other downloads continue', async () => {
  const org = await app.newOrganization()
  const path = await largeFile(org)
  const second = await app.addAdministrator(org.organizationId)
  const [ended, other] = [await open(path, second.apiKey), await open(path, org.apiKey)]
  assert.equal((await org.delete(`/api/users/${second.id}`)).statusCode, 200)
  await assert.rejects(text(ended))
  assert.equal(ended.complete, false)
  assert.equal(JSON.parse(await text(other)).length, PEOPLE)
})

test('a download is aborted when the file expires', async () => {
  const org = await app.newOrganization()
  const response = await open(await largeFile(org), org.apiKey)
  await app.db.tx(org.organizationId, (tx) => tx.execute('delete from report_artifacts'))
  await assert.rejects(text(response))
  assert.equal(response.complete, false)
})

test('downloads are limited per key and per tenant, so that others can download', async () => {
  const org = await app.newOrganization()
  const path = await largeFile(org)
  const second = await app.addAdministrator(org.organizationId)
  const third = await app.addAdministrator(org.organizationId)
  const opened = [await open(path, org.apiKey)]
  const refused = await org.get(path)
  assert.equal(refused.statusCode, 429)
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  assert.match(refused.json().message, /1 at once .* one administrator .*GATEHOUSE_DOWNLOADS/)
  assert.equal(refused.json().reason, 'too_many_downloads')
  opened.push(await open(path, second.apiKey))
  assert.match((await third.get(path)).json().message, /2 at once .* one organization/)
  const other = await app.newOrganization()
  assert.equal(
    (await other.get(path)).statusCode,
    404,
    'a slot is free, so the answer is 404 and not 429',
  )
  for (const response of opened) assert.equal(JSON.parse(await text(response)).length, PEOPLE)
})
