import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'

const app = await startApp()
const [OWN, CONSOLE] = ['/insights/directory/v1', '/api/v2/directoryinsights']
const start_time = new Date(Date.now() - 86_400_000).toISOString()
const all = { service: ['all'], start_time }

test('the console paths answer like those of Insights', async () => {
  const org = await app.newOrganization()
  for (const name of ['One', 'Two']) await org.post('/api/v2/usergroups', { name })
  const queries: [string, object][] = [
    ['/events', { ...all, limit: 1 }],
    ['/events/count', all],
    ['/events/distinct', { ...all, field: 'event_type' }],
    ['/events/interval', { ...all, interval_unit: 'd' }],
  ]
  for (const [path, body] of queries) {
    const [own, console] = [await org.post(OWN + path, body), await org.post(CONSOLE + path, body)]
    assert.equal(console.statusCode, 200, console.body)
    assert.equal(console.body, own.body)
    for (const header of ['x-result-count', 'x-limit', 'x-sort', 'x-search_after'])
      assert.equal(console.headers[header], own.headers[header], `${path} ${header}`)
  }
})

test('they reject alike, in the error format of their own API', async () => {
  const org = await app.newOrganization()
  const bad = await org.post(`${CONSOLE}/events`, { ...all, service: ['nonsense'] })
  assert.equal(bad.statusCode, 400)
  assert.equal(bad.json().status, 'INVALID_ARGUMENT')
  assert.equal(bad.json().reason, 'unknown_service')
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  for (const path of ['/events', '/events/count', '/events/distinct', '/events/interval'])
    assert.equal((await runner.post(CONSOLE + path, all)).statusCode, 403, path)
  const [other, headers] = [await app.newOrganization(), { 'x-org-id': org.organizationId }]
  assert.equal((await other.post(`${CONSOLE}/events`, all, headers)).statusCode, 404)
})

test('several organizations can be read at once', async () => {
  const provider = await app.newProvider(2)
  const both = { 'x-org-id': provider.organizationIds.join() }
  assert.equal((await provider.post(`${CONSOLE}/events`, all, both)).statusCode, 200)
  assert.equal((await provider.post(`${CONSOLE}/events`, all)).statusCode, 401)
})
