import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser } from '../../test/people.ts'
import { setSettling, writeVersionAsText } from './index.ts'

// They are the process's, and other files follow.
after(() => {
  setSettling(0)
  writeVersionAsText(false)
})

const ask = { service: ['all'], start_time: '2020-01-01T00:00:00Z' }
const EVENTS = '/insights/directory/v1/events'

test('@version can be written as text', async () => {
  const app = await startApp({ env: { GATEHOUSE_EVENT_VERSION: 'text' } })
  const org = await app.newOrganization()
  await addUser(org)
  const versions = (await org.events()).map((event) => event['@version'])
  assert.ok(versions.length > 0 && versions.every((version) => version === '1'))
})

test('with a settling delay a reader sees an event only when it is that old', async () => {
  const app = await startApp({ env: { GATEHOUSE_EVENT_SETTLING_SECONDS: '3600' } })
  const org = await app.newOrganization()
  await addUser(org)
  assert.deepEqual((await org.post(EVENTS, ask)).json(), [])
  setSettling(0)
  assert.ok((await org.post(EVENTS, ask)).json().length > 0)
})

test('the contract and /readyz name the region', async () => {
  const app = await startApp({ env: { GATEHOUSE_REGION: 'eu' } })
  const [server] = (await app.anonymous.get('/openapi/management.json')).json().servers
  assert.equal(server.url, '/api')
  assert.equal(server['x-region'], 'eu')
  assert.match(server.description, /^European Union: http:\/\/localhost:8080\/api$/)
  assert.equal((await app.anonymous.get('/readyz')).json().details.region, 'eu')
})
