import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { listenTo } from '../../test/news.ts'
import { PASSWORD } from '../../test/person.ts'
import {
  attemptsOf,
  authnRequest,
  callsOf,
  newRequestId,
  newWorld,
  type Org,
  query,
} from '../../test/sso/world.ts'

const app = await startApp()
app.secrets.add(PASSWORD)
const { visit } = callsOf(app)

/** Signs in as the sign-in page does after a redirect. */
async function signInFrom(location: unknown, identifier: string) {
  const search = new URL(String(location), 'http://localhost').searchParams
  const body = {
    identifier,
    password: PASSWORD,
    organization: search.get('organization') ?? undefined,
    continue: search.get('continue'),
  }
  return app.http.inject({ method: 'POST', url: '/auth/users/sign-in', payload: body })
}

const ssoEvents = async (org: Org) =>
  (await org.events()).filter(({ event_type }) => event_type === 'sso_auth')

test('a sign-in denied at the portal is an attempt on the application it was meant for', async () => {
  const { org, application, user } = await newWorld(app)
  const states = [
    [{ suspended: true }, 'SUSPENDED'],
    [{ suspended: false, state: 'ACTIVATED', account_locked: true }, 'locked'],
  ] as const
  for (const [change, word] of states) {
    assert.equal((await org.put(`/api/systemusers/${user.id}`, change)).statusCode, 200)
    const asked = `${application.url}?${query(authnRequest({ id: newRequestId() }))}`
    for (const [address, idpInitiated] of [
      [asked, false],
      [application.url, true],
    ] as const) {
      const before = (await ssoEvents(org)).length
      const sent = await visit(address)
      assert.equal(sent.statusCode, 303)
      assert.equal((await signInFrom(sent.headers.location, user.email)).statusCode, 401)
      const event = (await ssoEvents(org))[before]!
      assert.equal(event.success, false)
      assert.equal(event.idp_initiated, idpInitiated)
      assert.equal((event.application as { id: string }).id, application.id)
      assert.deepEqual(event.initiated_by, { type: 'user', id: user.id, username: user.username })
      assert.match(String(event.error_message), new RegExp(`^user_state: .*${word}`, 'i'))
      assert.equal((await ssoEvents(org)).length, before + 1)
    }
  }
  const [last] = await attemptsOf(org, application.id)
  assert.equal(last!.reason, 'user_state')
})

test('a denied sign-in is recorded once, with the event of the attempt', async () => {
  const { org, application, user } = await newWorld(app)
  const news = listenTo(app.contexts.portal.signInDenied, org.organizationId)
  const signIn = (more: object = {}) =>
    app.http.inject({
      method: 'POST',
      url: '/auth/users/sign-in',
      payload: { identifier: user.email, password: PASSWORD, continue: application.url, ...more },
    })
  assert.equal((await signIn({ password: 'Wrong-Orchard-58' })).statusCode, 401)
  assert.equal((await signIn()).statusCode, 200)
  assert.deepEqual(news.heard(), [])
  await org.put(`/api/systemusers/${user.id}`, { suspended: true })
  const before = await org.eventTypes()
  await news.failing(signIn)
  assert.deepEqual(await org.eventTypes(), before)
  assert.equal((await signIn()).statusCode, 401)
  const told = news.only()
  assert.deepEqual([told.user.id, told.continueTo], [user.id, application.url])
  assert.deepEqual(await org.eventTypes(), [...before, 'user_login_attempt', 'sso_auth'])
  assert.equal((await signIn({ continue: undefined })).statusCode, 401)
  assert.deepEqual(news.heard(), [])
})

test('a wrong password, another address and an application of another organization leave no attempt', async () => {
  const { org, application, user } = await newWorld(app)
  const other = await newWorld(app)
  const tryWith = (more: object) =>
    app.http.inject({
      method: 'POST',
      url: '/auth/users/sign-in',
      payload: { identifier: user.email, password: PASSWORD, ...more },
    })
  const wrong = await tryWith({ password: 'Wrong-Orchard-58', continue: application.url })
  assert.equal(wrong.statusCode, 401)
  await org.put(`/api/systemusers/${user.id}`, { suspended: true })
  for (const address of [
    '/',
    '//elsewhere.example/saml2/x',
    '/saml2/resume/nothing',
    '/saml2/unknown',
    other.application.url,
  ])
    assert.equal((await tryWith({ continue: address })).statusCode, 401)
  assert.deepEqual(await ssoEvents(org), [])
  assert.deepEqual(await ssoEvents(other.org), [])
})
