import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addClient } from '../../test/oidc/world.ts'
import { addPerson, bindApplication, PASSWORD, Person } from '../../test/person.ts'
import { addApplication, authnRequest, callsOf, query } from '../../test/sso/world.ts'
import type { ApplicationTile } from './schema.ts'

const app = await startApp()
app.secrets.add(PASSWORD)

test('favourites and the last use are kept for each user', async () => {
  const org = await app.newOrganization()
  const [user, other] = [await addPerson(org), await addPerson(org)]
  const id = await bindApplication(org, user.id)
  const person = await new Person(app.http).enter(user.email)
  const tile = async () => ((await person.get('/applications')).json() as ApplicationTile[])[0]!
  const mark = (body: object) => person.put(`/applications/${id}`, body)
  assert.deepEqual([(await tile()).favourite, (await tile()).openedAt], [false, null])
  assert.equal((await mark({ favourite: true })).statusCode, 200)
  assert.deepEqual([(await tile()).favourite, (await tile()).openedAt], [true, null])
  await mark({ opened: true })
  assert.equal((await tile()).favourite, true)
  assert.ok(Date.parse((await tile()).openedAt!))
  await mark({ favourite: false })
  assert.equal((await tile()).favourite, false)
  assert.ok((await tile()).openedAt)

  const stranger = await new Person(app.http).enter(other.email)
  const refused = await stranger.put(`/applications/${id}`, { favourite: true })
  assert.equal(refused.json().reason, 'application_not_found')
})

test('the sign-in page can say which application and organization it is for', async () => {
  const org = await app.newOrganization()
  const saml = await addApplication(org, {}, { displayLabel: 'Wiki', color: '#006CAC' })
  const client = await addClient(app, org)
  const { visit } = callsOf(app)
  const destinationOf = async (path: string) =>
    (
      await visit(`/auth/users/sign-in/destination?${new URLSearchParams({ continue: path })}`)
    ).json()
  const waiting = await visit(`${saml.url}?${query(authnRequest())}`)
  const { searchParams } = new URL(String(waiting.headers.location), 'http://localhost')
  const resumed = searchParams.get('continue')!
  assert.match(resumed, /^\/saml2\/resume\//)
  const wiki = { name: 'saml2', displayLabel: 'Wiki', logo: null, color: '#006CAC' }
  for (const path of [resumed, saml.url, `${saml.url}?RelayState=x`]) {
    const { application, organization } = await destinationOf(path)
    assert.deepEqual(application, wiki)
    assert.match(organization.name, /^Organization /)
  }
  const { application } = await destinationOf(`${client.path}/authorize?client_id=x`)
  assert.equal(application.name, 'oidc')
  const nothing = { application: null, organization: null }
  for (const path of ['/', '/profile', '/saml2/unknown', '/oidc/unknown/authorize?', '//evil.test'])
    assert.deepEqual(await destinationOf(path), nothing, path)
  await org.delete(`/api/applications/${saml.id}`)
  assert.deepEqual(await destinationOf(saml.url), nothing)
})
