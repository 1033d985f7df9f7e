import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser } from '../../test/people.ts'

const ask = { service: ['all'], start_time: '2020-01-01T00:00:00Z' }
const EVENTS = '/insights/directory/v1/events'

test('@version can be written as text, by one of two applications in a process', async () => {
  const app = await startApp({ env: { GATEHOUSE_EVENT_VERSION: 'text' } })
  const other = await startApp({ beside: app })
  const org = await app.newOrganization()
  const versions = async () => (await org.events()).map((event) => event['@version'])
  await addUser(org)
  const own = await versions()
  assert.ok(own.length > 0 && own.every((version) => version === '1'))
  await addUser(other.as(org.apiKey))
  const others = (await versions()).slice(own.length)
  assert.ok(others.length > 0 && others.every((version) => version === 1))
})

test('with a settling delay a reader sees an event only when it is that old', async () => {
  const app = await startApp({ env: { GATEHOUSE_EVENT_SETTLING_SECONDS: '3600' } })
  const org = await app.newOrganization()
  await addUser(org)
  assert.deepEqual((await org.post(EVENTS, ask)).json(), [])
  const other = await startApp({ beside: app })
  assert.ok((await other.as(org.apiKey).post(EVENTS, ask)).json().length > 0)
})

test('the contract and /readyz name the region', async () => {
  const app = await startApp({ env: { GATEHOUSE_REGION: 'eu' } })
  const [server] = (await app.anonymous.get('/openapi/management.json')).json().servers
  assert.equal(server.url, '/api')
  assert.equal(server['x-region'], 'eu')
  assert.match(server.description, /^European Union: http:\/\/localhost:8080\/api$/)
  assert.equal((await app.anonymous.get('/readyz')).json().details.region, 'eu')
})
