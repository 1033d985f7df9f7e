import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../harness.ts'
import * as oidc from '../oidc/world.ts'
import * as saml from '../sso/world.ts'
import { type Lab, ok, startLab } from './world.ts'

// An application may refuse people whose account is not there yet.

const app = await startApp()
const samlCalls = saml.callsOf(app)
const oidcCalls = oidc.callsOf(app)

async function requireAccount(org: saml.Org, applicationId: string, lab: Lab) {
  const path = `/api/v2/applications/${applicationId}/provisioning`
  const auth = { type: 'bearer', token: lab.token }
  ok(await org.put(path, { baseUrl: lab.url, auth, requireProvisioned: true }))
  ok(await org.post(`${path}/activate`))
}

test('SAML: a page that says so, or an error for the service provider; then they are let in', async () => {
  const lab = await startLab()
  for (const spErrorFlow of [false, true]) {
    const { org, application, user, person } = await saml.newWorld(app, { spErrorFlow })
    await requireAccount(org, application.id, lab)
    const visit = () =>
      samlCalls.visit(`${application.url}?${saml.query(saml.authnRequest())}`, person.cookie)
    const assertRefused = async () => {
      const res = await visit()
      if (spErrorFlow)
        assert.deepEqual(saml.statusesIn(saml.responseIn(res).xml), ['Responder', 'RequestDenied'])
      else {
        assert.equal(res.statusCode, 403)
        assert.match(res.body, /still being created/)
      }
    }
    await assertRefused()
    const [attempt] = await saml.attemptsOf(org, application.id)
    assert.match(JSON.stringify(attempt), /not_provisioned/)

    await app.runDueProvisioning()
    assert.deepEqual(saml.statusesIn(saml.responseIn(await visit()).xml), ['Success'])

    ok(await org.put(`/api/systemusers/${user.id}`, { suspended: true }))
    await app.runDueProvisioning()
    ok(await org.put(`/api/systemusers/${user.id}`, { suspended: false }))
    await person.enter(user.email)
    await assertRefused()
    await app.runDueProvisioning()
    assert.deepEqual(saml.statusesIn(saml.responseIn(await visit()).xml), ['Success'])
  }
})

test('OpenID Connect: access_denied, then a code', async () => {
  const lab = await startLab()
  const { org, client, person } = await oidc.newWorld(app)
  await requireAccount(org, client.id, lab)
  const visit = () => oidcCalls.visit(oidc.authorizeUrl(client), person)
  assert.equal(oidc.answerIn(await visit()).error, 'access_denied')
  const denied = (await org.events()).find(({ event_type }) => event_type === 'sso_auth')
  assert.match(JSON.stringify(denied), /not_provisioned|does not exist yet/)
  await app.runDueProvisioning()
  const { code } = oidc.answerIn(await visit())
  assert.ok(code)
  app.secrets.add(code)
})

test('a connection that does not ask for it, or is not active, lets everybody in', async () => {
  const lab = await startLab()
  const { org, application, person } = await saml.newWorld(app)
  const path = `/api/v2/applications/${application.id}/provisioning`
  const body = { baseUrl: lab.url, auth: { type: 'bearer', token: lab.token } }
  const enters = async () => {
    const url = `${application.url}?${saml.query(saml.authnRequest())}`
    return (await samlCalls.visit(url, person.cookie)).statusCode === 200
  }
  ok(await org.put(path, { ...body, requireProvisioned: true }))
  assert.equal(await enters(), true, 'not active yet')
  ok(await org.post(`${path}/activate`))
  assert.equal(await enters(), false)
  ok(await org.put(path, body))
  assert.equal(await enters(), true)
})
