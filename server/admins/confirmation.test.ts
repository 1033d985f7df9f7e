import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { signInToConsole } from '../../test/console.ts'
import { startApp } from '../../test/harness.ts'
import { newId } from '../platform/ids.ts'
import { listMails } from '../platform/mail.ts'

// Changing what opens an account requires re-authentication: a key or an unattended session is not enough.

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>
const address = () => `${newId()}@example.com`
const HOUR = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()

const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  })

/** Replaces the administrator's full key with one that is narrowed, expiring, or both. */
async function keyOf(org: Org, wanted: object) {
  const made = await org.post(`/api/users/${org.adminId}/apikey`, wanted)
  assert.equal(made.statusCode, 200, made.body)
  app.secrets.add(made.json().apiKey)
  return app.as(made.json().apiKey)
}

/** Enrols in a separate session; this uses up the codes before the current time step. */
async function enrol(org: Org): Promise<string> {
  const session = await signInToConsole(app.http, org)
  await session.confirm()
  const { secret } = (await session.post('/auth/totp')).json()
  app.secrets.add(secret)
  const done = await session.post('/auth/totp/confirm', { code: codeOf(secret, -1) })
  assert.equal(done.statusCode, 200, done.body)
  return secret
}

const tokenOf = (body: string) => /token=([\w-]+)/.exec(body)![1]!

test('no key can change an e-mail address, of its owner or of another administrator', async () => {
  const org = await app.newOrganization()
  const peer = await app.addAdministrator(org.organizationId)
  for (const id of [org.adminId, peer.id]) {
    const res = await org.put(`/api/users/${id}`, { email: address() })
    assert.equal(res.statusCode, 403)
    assert.match(res.json().message, /console session/)
    assert.equal(res.json().reason, 'session_needed')
  }
  // Sending a record back changes nothing.
  const whole = (await org.get(`/api/users/${peer.id}`)).json()
  const res = await org.put(`/api/users/${peer.id}`, { ...whole, firstname: 'Grace' })
  assert.equal(res.statusCode, 200, res.body)
  assert.equal((await org.get('/api/users/getSelf')).json().email, org.email)
})

test('a session can change the address once the password is confirmed', async () => {
  const org = await app.newOrganization()
  const peer = await app.addAdministrator(org.organizationId)
  const session = await signInToConsole(app.http, org)
  const email = address()
  const early = await session.put(`/api/users/${peer.id}`, { email })
  assert.equal(early.statusCode, 403)
  assert.match(early.json().message, /POST \/auth\/session\/confirm/)
  assert.equal(early.json().reason, 'password_confirmation_required')
  const wrong = await session.post('/auth/session/confirm', { password: 'wrong password' })
  assert.deepEqual([wrong.statusCode, wrong.json().reason], [401, 'sign_in_refused'])
  assert.equal((await session.put(`/api/users/${peer.id}`, { email })).statusCode, 403)
  assert.equal((await session.confirm()).statusCode, 200)
  assert.equal((await session.put(`/api/users/${peer.id}`, { email })).json().email, email)
  const [mail] = await listMails(app.db, app.sealer, 1)
  assert.equal(mail?.recipient, peer.email)
  assert.match(mail!.body, new RegExp(email))
  await app.db.tx(null, (tx) =>
    tx.execute(
      "update sessions set confirmed_at = now() - interval '11 minutes' where administrator_id = $1",
      [org.adminId],
    ),
  )
  assert.equal((await session.put(`/api/users/${peer.id}`, { email: address() })).statusCode, 403)
})

test('failed confirmations count like failed sign-ins', async () => {
  const org = await app.newOrganization()
  const session = await signInToConsole(app.http, org)
  for (let n = 0; n < 5; n++)
    await session.post('/auth/session/confirm', { password: 'wrong password' })
  assert.equal((await session.confirm()).statusCode, 429)
  assert.equal(
    (await org.post('/auth/session/confirm', { password: org.password })).statusCode,
    403,
  )
})

test('a change of address revokes the password links sent to the old one', async () => {
  const org = await app.newOrganization()
  const peer = await app.addAdministrator(org.organizationId)
  const reactivated = await org.get(`/api/users/reactivate/${peer.id}`)
  assert.equal(reactivated.statusCode, 200)
  const [mail] = await listMails(app.db, app.sealer, 1)
  const token = tokenOf(mail!.body)
  const session = await signInToConsole(app.http, org)
  await session.confirm()
  await session.put(`/api/users/${peer.id}`, { email: address() })
  const password = 'a new and long password'
  app.secrets.add(password)
  const used = await app.anonymous.post('/auth/password/reset', { token, password })
  assert.deepEqual([used.statusCode, used.json().reason], [400, 'link_invalid'])
})

test('including a link created while the address changes', async () => {
  const org = await app.newOrganization()
  await org.get(`/api/users/reactivate/${org.adminId}`)
  const [mail] = await listMails(app.db, app.sealer, 1)
  // As if the link had been inserted after the change deleted the existing ones.
  await app.db.tx(null, (tx) =>
    tx.execute('update administrators set email = $2 where id = $1', [org.adminId, address()]),
  )
  const password = 'a new and long password'
  const body = { token: tokenOf(mail!.body), password }
  assert.equal((await app.anonymous.post('/auth/password/reset', body)).statusCode, 400)
})

test('no key can remove a second factor, of its owner or of another administrator', async () => {
  const org = await app.newOrganization()
  const peer = await app.addAdministrator(org.organizationId, 'Administrator with Billing')
  await enrol(org)
  for (const who of [org, peer]) {
    const res = await who.post(`/api/users/resettotp/${org.adminId}`)
    assert.equal(res.statusCode, 403, res.body)
    assert.match(res.json().message, /console session/)
  }
  await org.put(`/api/users/${org.adminId}`, { enableMultiFactor: true })
  const off = await peer.put(`/api/users/${org.adminId}`, { enableMultiFactor: false })
  assert.equal(off.statusCode, 403)
  const session = await signInToConsole(app.http, peer)
  assert.equal((await session.post(`/api/users/resettotp/${org.adminId}`)).statusCode, 403)
  await session.confirm()
  assert.equal((await session.post(`/api/users/resettotp/${org.adminId}`)).statusCode, 200)
})

test('no key can switch off the requirement of a second factor', async () => {
  const org = await app.newOrganization()
  const url = `/api/organizations/${org.organizationId}`
  const require = (requireAdminMFA: boolean) => ({ settings: { requireAdminMFA } })
  const session = await signInToConsole(app.http, org)
  assert.equal((await org.put(url, require(true))).statusCode, 200)
  assert.equal((await org.put(url, require(false))).json().reason, 'session_needed')
  const unconfirmed = await session.put(url, require(false))
  assert.equal(unconfirmed.json().reason, 'password_confirmation_required')
  assert.equal((await org.get(url)).json().settings.requireAdminMFA, true)
  await session.confirm()
  assert.equal((await session.put(url, require(false))).statusCode, 200)
})

test('enrolling and removing a second factor requires a confirmed session, and thus a code', async () => {
  const org = await app.newOrganization()
  const unconfirmed = await signInToConsole(app.http, org)
  assert.equal((await unconfirmed.post('/auth/totp')).statusCode, 403)
  const secret = await enrol(org)
  const session = await signInToConsole(app.http, org)
  const code = codeOf(secret)
  const early = await session.get('/api/organizations')
  assert.deepEqual([early.statusCode, early.json().reason], [401, 'second_factor_owed'])
  const opened = await app.http.inject({
    method: 'POST',
    url: '/auth/sign-in/totp',
    headers: session.headers,
    payload: { code },
  })
  const { name, value } = opened.cookies[0]!
  const headers = { cookie: `${name}=${value}`, 'x-csrf-token': opened.json().csrfToken }
  const post = (url: string, body: object) => app.anonymous.post(url, body, headers)
  const { password } = org
  assert.equal((await post('/auth/totp/disable', {})).statusCode, 403)
  const codeless = await post('/auth/session/confirm', { password })
  assert.deepEqual([codeless.statusCode, codeless.json().reason], [400, 'code_required'])
  assert.equal((await post('/auth/session/confirm', { password, code })).statusCode, 401, 'spent')
  const fresh = { password, code: codeOf(secret, 1) }
  assert.equal((await post('/auth/session/confirm', fresh)).statusCode, 200)
  assert.equal((await post('/auth/totp/disable', {})).statusCode, 200)
})

test('a narrowed key cannot change its owner', async () => {
  const org = await app.newOrganization()
  const key = await keyOf(org, { scopes: ['administrators', 'users'] })
  const self = `/api/users/${org.adminId}`
  assert.equal((await key.put(self, { roleName: 'Read Only' })).statusCode, 403)
  assert.equal((await key.put(self, { firstname: 'Eve' })).statusCode, 403)
  assert.equal((await key.get(`/api/users/reactivate/${org.adminId}`)).statusCode, 403)
  assert.equal((await key.post(`${self}/apikey`, {})).statusCode, 403)
  const same = await key.post(`${self}/apikey`, { scopes: ['users'] })
  assert.equal(same.statusCode, 200)
  app.secrets.add(same.json().apiKey)
})

test('a narrowed key can revoke itself', async () => {
  const org = await app.newOrganization()
  const key = await keyOf(org, { scopes: ['administrators'] })
  assert.equal((await key.delete(`/api/users/${org.adminId}/apikey`)).statusCode, 200)
})

test('an expiring key cannot create anything that outlasts it', async () => {
  const org = await app.newOrganization()
  const peer = await app.addAdministrator(org.organizationId, 'Read Only')
  const role = (
    await org.post('/api/v2/roles', { name: 'Some', scopes: ['users.readonly'] })
  ).json()
  const key = await keyOf(org, { expireAt: inHours(24 * 45) })
  const own = `/api/users/${org.adminId}/apikey`
  const account = (lifetime?: string) => ({
    name: newId(),
    roleId: role.id,
    authConfig: { authType: 'API_KEY', ...(lifetime && { apiKeyConfig: { lifetime } }) },
  })
  const attempts = [
    key.post(own, {}),
    key.post(own, { expireAt: inHours(24 * 46) }),
    key.post('/api/users', { email: address() }),
    key.put(`/api/users/${peer.id}`, { roleName: 'Manager' }),
    key.post('/api/v2/service-accounts', account()),
    key.post('/api/v2/service-accounts', account('60 Days')),
    key.put(`/api/v2/roles/${role.id}`, { name: 'Some', scopes: ['users'] }),
  ]
  for (const attempt of attempts) {
    const res = await attempt
    assert.equal(res.statusCode, 403, res.body)
    assert.equal(res.json().reason, 'outlasts_credential')
  }
  assert.match((await key.post(own, {})).json().message, /expireAt/)
  const made = await key.post('/api/v2/service-accounts', account('30 Days'))
  assert.equal(made.statusCode, 200, made.body)
  const { objectId, authConfigList } = made.json().serviceAccount
  const robot = app.as(authConfigList[0].apiKeyConfig.apiKey)
  app.secrets.add(authConfigList[0].apiKeyConfig.apiKey)
  assert.equal((await robot.get('/api/systemusers')).statusCode, 200)
  // Removing scopes is allowed.
  assert.equal((await key.put(`/api/users/${peer.id}`, { suspended: true })).statusCode, 200)
  assert.equal((await key.delete(`/api/v2/service-accounts/${objectId}`)).statusCode, 200)
  const next = await key.post(own, { expireAt: inHours(24) })
  assert.equal(next.statusCode, 200)
  app.secrets.add(next.json().apiKey)
})
