import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson, PASSWORD, Person } from '../../test/person.ts'
import { callsOf } from '../../test/sso/world.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
app.secrets.add(PASSWORD)

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('the portal shows the logo of the organization, and only images', async () => {
  const org = await app.newOrganization()
  const { email } = await addPerson(org)
  const set = (logo: string) =>
    org.put(`/api/organizations/${org.organizationId}`, { settings: { logo } })
  const person = await new Person(app.http).enter(email)
  const shown = async () => (await person.get('/session')).json().organization.logo
  const { visit } = callsOf(app)
  assert.equal(await shown(), null)

  await set(`data:image/png;base64,${PNG}`)
  const address = await shown()
  const image = await visit(address)
  assert.equal(image.headers['content-type'], 'image/png')
  assert.equal(image.rawPayload.toString('base64'), PNG)
  assert.match(String(image.headers['cache-control']), /immutable/)
  const events = (await org.events()).filter(
    ({ event_type }) => event_type === 'organization_update',
  )
  assert.deepEqual(events.at(-1)?.changes, [{ field: 'logo' }], 'the picture is not in the event')

  const script = Buffer.from('<svg onload="alert(1)"/>').toString('base64')
  for (const text of ['https://example.com/a.png', `data:image/png;base64,${script}`, '']) {
    await set(text)
    assert.equal(await shown(), null, text)
    assert.equal((await visit(address)).statusCode, 404)
  }
  // No way to tell which organizations exist.
  for (const id of [newId(), 'x', org.organizationId]) {
    const missing = await visit(`/auth/users/organizations/${id}/logo`)
    assert.deepEqual([missing.statusCode, missing.json().reason], [404, 'logo_not_found'])
  }
})
