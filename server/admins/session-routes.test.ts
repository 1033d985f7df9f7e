import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { caller, startApp } from '../../test/harness.ts'
import { listMails } from '../platform/mail.ts'

const app = await startApp()
let addresses = 0

/** A browser: keeps the cookie and sends the CSRF token from the sign-in. */
function browser() {
  const { post, get } = caller(app.http, null)
  // Each browser has its own IP address, or the tests would throttle each other.
  const remote = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0' }
  const remoteAddress = `10.0.${Math.floor(addresses / 250)}.${(addresses++ % 250) + 1}`
  let cookie = ''
  let csrf = ''
  const keep = (res: Awaited<ReturnType<typeof post>>) => {
    const set = res.cookies.find((c) => c.name === 'gatehouse_session')
    if (set) cookie = `${set.name}=${set.value}`
    const body = res.headers['content-type']?.toString().includes('json') ? res.json() : {}
    if (body.csrfToken) csrf = body.csrfToken
    return res
  }
  const headers = () => ({ ...remote, ...(cookie && { cookie }) })
  return {
    get: (url: string) => get(url, headers()),
    post: async (url: string, payload?: object, withToken = true) =>
      keep(
        await app.http.inject({
          method: 'POST',
          url,
          remoteAddress,
          headers: { ...headers(), ...(withToken && csrf && { 'x-csrf-token': csrf }) },
          ...(payload && { payload }),
        }),
      ),
    cookies: () => cookie,
  }
}

const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  })

async function enrolled() {
  const org = await app.newOrganization()
  const b = browser()
  await b.post('/auth/sign-in', { email: org.email, password: org.password })
  await b.post('/auth/session/confirm', { password: org.password })
  const { secret, otpauthUrl } = (await b.post('/auth/totp')).json()
  app.secrets.add(secret)
  assert.match(otpauthUrl, /^otpauth:\/\/totp\/Gatehouse/)
  const confirmed = await b.post('/auth/totp/confirm', { code: codeOf(secret, -1) })
  assert.equal(confirmed.statusCode, 200)
  return { org, secret, browser: b, recoveryCodes: confirmed.json().recoveryCodes as string[] }
}

test('sign-in gives an HttpOnly, SameSite cookie and a session that acts as the administrator', async () => {
  const org = await app.newOrganization()
  const b = browser()
  const res = await b.post('/auth/sign-in', {
    email: org.email.toUpperCase(),
    password: org.password,
  })
  assert.equal(res.statusCode, 200)
  assert.equal(res.json().status, 'signed_in')
  const cookie = res.cookies[0]!
  assert.equal(cookie.httpOnly, true)
  assert.equal(cookie.sameSite, 'Strict')
  assert.equal(cookie.secure, undefined)
  assert.equal((await b.get('/api/organizations')).json().totalCount, 1)
  const session = (await b.get('/auth/session')).json()
  assert.equal(session.email, org.email)
  // A reloaded page asks for it again.
  assert.equal(session.csrfToken, res.json().csrfToken)
  assert.equal((await org.get('/auth/session')).json().csrfToken, undefined)
  const made = await b.post('/api/v2/roles', { name: 'From the console', scopes: ['users'] })
  assert.equal(made.statusCode, 200)
  const [attempt, created] = await org.events()
  assert.equal(attempt?.event_type, 'admin_login_attempt')
  assert.equal(attempt?.success, true)
  assert.equal(attempt?.mfa, false)
  assert.equal(created?.auth_method, 'session')
})

test('behind https the cookie is Secure', async () => {
  const secure = await startApp({ env: { GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' } })
  const org = await secure.newOrganization()
  const res = await secure.anonymous.post('/auth/sign-in', {
    email: org.email,
    password: org.password,
  })
  assert.equal(res.cookies[0]?.secure, true)
  assert.match(String(res.headers['strict-transport-security']), /max-age/)
})

test('a write by cookie without the CSRF token is refused; a read is not', async () => {
  const org = await app.newOrganization()
  const b = browser()
  await b.post('/auth/sign-in', { email: org.email, password: org.password })
  const res = await b.post('/api/v2/roles', { name: 'Forged', scopes: ['users'] }, false)
  assert.equal(res.statusCode, 403)
  assert.match(res.json().message, /x-csrf-token/)
  assert.equal(res.json().reason, 'csrf_token')
  assert.equal((await b.get('/api/v2/roles')).statusCode, 200)
})

test('a wrong password and an unknown address get the same response', async () => {
  const org = await app.newOrganization()
  const wrong = await browser().post('/auth/sign-in', {
    email: org.email,
    password: 'wrong password',
  })
  const unknown = await browser().post('/auth/sign-in', {
    email: 'nobody@example.com',
    password: 'wrong password',
  })
  assert.equal(wrong.statusCode, 401)
  assert.equal(unknown.statusCode, 401)
  assert.equal(wrong.json().message, unknown.json().message)
  const [event] = await org.events()
  assert.equal(event?.event_type, 'admin_login_attempt')
  assert.equal(event?.success, false)
})

test('five failures lock the account even for the right password, and are recorded', async () => {
  const org = await app.newOrganization()
  for (let n = 0; n < 5; n++) {
    assert.equal(
      (await browser().post('/auth/sign-in', { email: org.email, password: 'wrong password' }))
        .statusCode,
      401,
    )
  }
  const locked = await browser().post('/auth/sign-in', { email: org.email, password: org.password })
  assert.equal(locked.statusCode, 429)
  assert.ok(Number(locked.headers['retry-after']) > 60)
  const types = await org.eventTypes()
  assert.equal(types.filter((type) => type === 'admin_login_attempt').length, 5)
  assert.equal(types.filter((type) => type === 'admin_lockout').length, 1)
  await app.db.tx(null, (tx) =>
    tx.execute(
      "update sign_in_failures set blocked_until = now() - interval '1 second', first_at = now() - interval '1 hour'",
    ),
  )
  assert.equal(
    (await browser().post('/auth/sign-in', { email: org.email, password: org.password }))
      .statusCode,
    200,
  )
})

test('parallel requests allow no more attempts', async () => {
  const org = await app.newOrganization()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      browser().post('/auth/sign-in', { email: org.email, password: 'wrong password' }),
    ),
  )
  const statuses = answers.map(({ statusCode }) => statusCode)
  assert.equal(statuses.filter((status) => status === 401).length, 5)
  assert.equal(statuses.filter((status) => status === 429).length, 15)
  const types = await org.eventTypes()
  assert.equal(types.filter((type) => type === 'admin_lockout').length, 1)
})

test('an IP address that fails for many accounts is blocked for all', async () => {
  const org = await app.newOrganization()
  const b = browser()
  // One after the other: a busy machine would refuse some of fifty at once, and those do not count.
  for (let n = 0; n < 50; n++) {
    const guess = { email: `guess${n}@example.com`, password: 'x' }
    assert.equal((await b.post('/auth/sign-in', guess)).statusCode, 401)
  }
  assert.equal(
    (await b.post('/auth/sign-in', { email: org.email, password: org.password })).statusCode,
    429,
  )
  assert.equal(
    (await browser().post('/auth/sign-in', { email: org.email, password: org.password }))
      .statusCode,
    200,
  )
})

test('sign-out ends this session, sign-out everywhere all of them', async () => {
  const org = await app.newOrganization()
  const [one, two] = [browser(), browser()]
  for (const b of [one, two])
    await b.post('/auth/sign-in', { email: org.email, password: org.password })
  const sessions = (await one.get('/auth/sessions')).json()
  assert.equal(sessions.length, 2)
  for (const { browser, system } of sessions) assert.equal(typeof (browser + system), 'string')
  assert.equal((await one.post('/auth/sign-out')).statusCode, 200)
  assert.equal((await one.get('/auth/session')).statusCode, 401)
  assert.equal((await two.get('/auth/session')).statusCode, 200)
  await one.post('/auth/sign-in', { email: org.email, password: org.password })
  assert.equal((await two.post('/auth/sign-out-everywhere')).statusCode, 200)
  assert.equal((await one.get('/auth/session')).statusCode, 401)
})

test('with TOTP the password alone gives no access; a code works once', async () => {
  const { org, secret } = await enrolled()
  const b = browser()
  const first = await b.post('/auth/sign-in', { email: org.email, password: org.password })
  assert.equal(first.json().status, 'totp_required')
  assert.equal((await b.get('/api/organizations')).statusCode, 401)
  assert.equal((await b.get('/auth/session')).statusCode, 401)
  assert.equal((await b.post('/auth/sign-in/totp', { code: '000000' })).statusCode, 401)
  const code = codeOf(secret)
  assert.equal((await b.post('/auth/sign-in/totp', { code })).json().status, 'signed_in')
  const { mfa, totpEnrolled } = (await b.get('/auth/session')).json()
  assert.deepEqual([mfa, totpEnrolled], [true, true])
  const replay = browser()
  await replay.post('/auth/sign-in', { email: org.email, password: org.password })
  assert.equal((await replay.post('/auth/sign-in/totp', { code })).statusCode, 401)
  const success = (await org.events()).filter(
    (event) =>
      event.event_type === 'admin_login_attempt' && event.mfa === true && event.success === true,
  )
  assert.equal(success.length, 1)
})

test('the half-open session cannot replace the second factor', async () => {
  const { org } = await enrolled()
  const b = browser()
  await b.post('/auth/sign-in', { email: org.email, password: org.password })
  const again = await b.post('/auth/totp')
  assert.deepEqual([again.statusCode, again.json().reason], [400, 'totp_enrolled'])
  const unstarted = await b.post('/auth/totp/confirm', { code: '123456' })
  assert.deepEqual([unstarted.statusCode, unstarted.json().reason], [400, 'totp_not_started'])
  assert.equal((await b.post('/auth/totp/disable', { code: '123456' })).statusCode, 401)
  assert.equal(
    (
      await b.post('/auth/password', {
        currentPassword: org.password,
        password: 'long enough to pass',
      })
    ).statusCode,
    401,
  )
})

test('a recovery code replaces the device, once', async () => {
  const { org, recoveryCodes } = await enrolled()
  assert.equal(recoveryCodes.length, 10)
  const signInWith = async (code: string) => {
    const b = browser()
    await b.post('/auth/sign-in', { email: org.email, password: org.password })
    return (await b.post('/auth/sign-in/totp', { code })).statusCode
  }
  assert.equal(await signInWith(recoveryCodes[3]!.toUpperCase()), 200)
  assert.equal(await signInWith(recoveryCodes[3]!), 401)
  assert.equal(await signInWith(recoveryCodes[4]!), 200)
})

test('TOTP can be disabled with a code, or reset by another administrator', async () => {
  const one = await enrolled()
  await one.browser.post('/auth/session/confirm', {
    password: one.org.password,
    code: codeOf(one.secret),
  })
  assert.equal(
    (await one.browser.post('/auth/totp/disable', { code: codeOf(one.secret) })).statusCode,
    200,
    'a code may be sent as before',
  )
  assert.equal(
    (
      await browser().post('/auth/sign-in', { email: one.org.email, password: one.org.password })
    ).json().status,
    'signed_in',
  )
  const two = await enrolled()
  const helper = await app.addAdministrator(two.org.organizationId, 'Administrator with Billing')
  const b = browser()
  await b.post('/auth/sign-in', { email: helper.email, password: helper.password })
  await b.post('/auth/session/confirm', { password: helper.password })
  assert.equal((await b.post(`/api/users/resettotp/${two.org.adminId}`)).statusCode, 200)
  assert.equal(
    (
      await browser().post('/auth/sign-in', { email: two.org.email, password: two.org.password })
    ).json().status,
    'signed_in',
  )
  const types = await two.org.eventTypes()
  for (const type of [
    'admin_totp_start_enrollment',
    'admin_totp_finish_enrollment',
    'admin_totp_disable',
  ])
    assert.ok(types.includes(type))
})

test('an organization that requires a second factor makes its administrators enrol', async () => {
  const org = await app.newOrganization()
  await org.put(`/api/organizations/${org.organizationId}`, { settings: { requireAdminMFA: true } })
  const b = browser()
  const res = await b.post('/auth/sign-in', { email: org.email, password: org.password })
  assert.equal(res.json().status, 'totp_enrollment_required')
  assert.equal((await b.get('/api/organizations')).statusCode, 401)
  const { secret } = (await b.post('/auth/totp')).json()
  assert.equal(
    (await b.post('/auth/totp/confirm', { code: codeOf(secret) })).json().status,
    'signed_in',
  )
  assert.equal((await b.get('/api/organizations')).statusCode, 200)
})

test('a forgotten password: the mailed link works once and ends all sessions', async () => {
  const org = await app.newOrganization()
  const b = browser()
  await b.post('/auth/sign-in', { email: org.email, password: org.password })
  for (const email of [org.email, 'nobody@example.com']) {
    const asked = await browser().post('/auth/password/forgot', { email })
    assert.deepEqual(asked.json(), { status: 'mailed_if_known' })
  }
  // Both requests did the same work; a job looks up the account afterwards.
  assert.notEqual((await listMails(app.db, app.sealer, 1))[0]?.recipient, org.email)
  await app.runDueJobs()
  const [mail] = await listMails(app.db, app.sealer, 1)
  assert.equal(mail?.recipient, org.email)
  const token = /token=([\w-]+)/.exec(mail!.body)![1]!
  const weak = await browser().post('/auth/password/reset', { token, password: 'short' })
  assert.equal(weak.statusCode, 400)
  assert.match(weak.json().message, /password/)
  assert.equal(weak.json().reason, 'weak_password')
  const password = 'a new and long password'
  app.secrets.add(password)
  assert.equal((await browser().post('/auth/password/reset', { token, password })).statusCode, 200)
  assert.equal((await browser().post('/auth/password/reset', { token, password })).statusCode, 400)
  assert.equal((await b.get('/auth/session')).statusCode, 401)
  assert.equal(
    (await browser().post('/auth/sign-in', { email: org.email, password: org.password }))
      .statusCode,
    401,
  )
  assert.equal(
    (await browser().post('/auth/sign-in', { email: org.email, password })).statusCode,
    200,
  )
  const types = await org.eventTypes()
  assert.ok(
    types.includes('admin_password_reset_request') && types.includes('admin_password_change'),
  )
})

test('reset mails to one address are limited', async () => {
  const org = await app.newOrganization()
  for (let n = 0; n < 8; n++) {
    const res = await browser().post('/auth/password/forgot', { email: org.email })
    assert.equal(res.statusCode, 200)
  }
  await app.runDueJobs()
  const types = await org.eventTypes()
  assert.equal(types.filter((type) => type === 'admin_password_reset_request').length, 5)
})

test('changing the password requires the current one and ends other sessions', async () => {
  const org = await app.newOrganization()
  const [one, two] = [browser(), browser()]
  for (const b of [one, two])
    await b.post('/auth/sign-in', { email: org.email, password: org.password })
  const password = 'quite another password'
  app.secrets.add(password)
  assert.equal(
    (await one.post('/auth/password', { currentPassword: 'wrong', password })).statusCode,
    401,
  )
  assert.equal(
    (await one.post('/auth/password', { currentPassword: org.password, password })).statusCode,
    200,
  )
  assert.equal((await one.get('/auth/session')).statusCode, 200)
  assert.equal((await two.get('/auth/session')).statusCode, 401)
})

test('a suspended administrator cannot sign in and loses all sessions', async () => {
  const org = await app.newOrganization()
  const admin = await app.addAdministrator(org.organizationId)
  const b = browser()
  await b.post('/auth/sign-in', { email: admin.email, password: admin.password })
  await org.put(`/api/users/${admin.id}`, { suspended: true })
  assert.equal((await b.get('/auth/session')).statusCode, 401)
  assert.equal(
    (await browser().post('/auth/sign-in', { email: admin.email, password: admin.password }))
      .statusCode,
    401,
  )
})

test('an idle or expired session is refused', async () => {
  const org = await app.newOrganization()
  const b = browser()
  await b.post('/auth/sign-in', { email: org.email, password: org.password })
  await app.db.tx(null, (tx) =>
    tx.execute(
      "update sessions set seen_at = now() - interval '61 minutes' where administrator_id = $1",
      [org.adminId],
    ),
  )
  assert.equal((await b.get('/auth/session')).statusCode, 401)
})

test('session routes refuse API keys', async () => {
  const org = await app.newOrganization()
  assert.equal((await org.post('/auth/sign-out')).statusCode, 403)
  assert.equal((await org.post('/auth/totp')).statusCode, 403)
})
