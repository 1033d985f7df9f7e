import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson, codesOf, PASSWORD, Person } from '../../test/person.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { currentPerson } from './index.ts'

const app = await startApp()
app.secrets.add(PASSWORD)
const newPerson = () => new Person(app.http)
type Org = Awaited<ReturnType<typeof app.newOrganization>>

const attempts = async (org: Org) =>
  (await org.events()).filter(({ event_type }) => event_type === 'user_login_attempt')
const policy = (org: Org, passwordPolicy: object) =>
  org.put(`/api/organizations/${org.organizationId}`, { settings: { passwordPolicy } })

test('signing in by username or e-mail, in any case, opens a session and leaves an event', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  for (const identifier of [user.username.toUpperCase(), ` ${user.email} `]) {
    const person = newPerson()
    const res = await person.signIn(identifier)
    assert.equal(res.statusCode, 200, res.body)
    const answer = res.json()
    assert.equal(answer.status, 'signed_in')
    assert.equal(answer.displayName, 'Ada Berg')
    assert.equal(answer.organization.id, org.organizationId)
    const [cookie, device] = res.headers['set-cookie']!
    assert.match(
      device!,
      /^gatehouse_device=[^;]+; Max-Age=7776000; Path=\/auth; HttpOnly; SameSite=Strict$/,
    )
    assert.match(cookie!, /^gatehouse_portal=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.equal(res.headers['cache-control'], 'no-store')
    assert.equal((await person.get('/session')).json().username, user.username)
  }
  const [event] = await attempts(org)
  assert.deepEqual(event?.resource, { type: 'user', id: user.id, username: user.username })
  assert.equal(event?.success, true)
  assert.equal(event?.mfa, false)
  assert.deepEqual(event?.auth_context, { auth_methods: { password: { success: true } } })
  assert.deepEqual(event?.target_resource, { type: 'user_portal' })
  const by = event?.initiated_by as { type: string } | undefined
  assert.equal(by?.type, 'user')
})

test('an unknown name, a wrong password and a user who may not sign in get the same answer', async () => {
  const org = await app.newOrganization()
  const [right, staged, suspended, locked, unset] = await Promise.all([
    addPerson(org),
    addPerson(org, { state: 'STAGED' }),
    addPerson(org, { state: 'SUSPENDED' }),
    addPerson(org, { account_locked: true }),
    addPerson(org, { password: undefined }),
  ])
  const tries: [string, string][] = [
    [`nobody.${newId()}`, PASSWORD],
    [right.username, 'Wrong-Orchard-58'],
    ...[staged, suspended, locked, unset].map(({ email }): [string, string] => [email, PASSWORD]),
  ]
  const bodies = new Set<string>()
  for (const [identifier, password] of tries) {
    const res = await newPerson().signIn(identifier, password)
    assert.equal(res.statusCode, 401, identifier)
    assert.equal(res.headers['set-cookie'], undefined)
    bodies.add(res.body)
  }
  assert.equal(bodies.size, 1)
  assert.deepEqual(
    (await attempts(org)).map(({ success, error_message }) => [success, error_message]),
    [
      [false, 'password does not match'],
      [false, 'user is staged'],
      [false, 'user is suspended'],
      [false, 'account is locked'],
      [false, 'password does not match'],
    ],
  )
})

test('a body without a password is refused, and the field is named', async () => {
  const res = await newPerson().post('/sign-in', { identifier: 'ada' })
  assert.equal(res.statusCode, 400)
  assert.match(res.body, /password/)
  const bad = await newPerson().signIn('ada', PASSWORD, { organization: 'acme' })
  assert.equal(bad.statusCode, 400)
  assert.match(bad.json().message, /^organization: /)
  assert.equal(bad.json().reason, 'organization_malformed')
})

test('one name in several organizations: the password decides, then the user chooses', async () => {
  const [one, two, three] = [
    await app.newOrganization(),
    await app.newOrganization(),
    await app.newOrganization(),
  ]
  const email = `ada.${newId()}@example.com`
  await addPerson(one, { email })
  const second = await addPerson(two, { email, password: 'Another-Orchard-59' })
  const signedIn = await newPerson().signIn(email, 'Another-Orchard-59')
  assert.equal(signedIn.json().username, second.username)
  assert.deepEqual(await attempts(one), [], 'nothing failed there')

  await addPerson(three, { email })
  const person = newPerson()
  const choice = await person.signIn(email)
  assert.equal(choice.json().status, 'choose_organization')
  assert.equal(choice.headers['set-cookie'], undefined)
  assert.deepEqual(
    choice
      .json()
      .organizations.map(({ id }: { id: string }) => id)
      .sort(),
    [one.organizationId, three.organizationId].sort(),
  )
  const chosen = await person.signIn(email, PASSWORD, { organization: three.organizationId })
  assert.equal(chosen.json().organization.id, three.organizationId)
  const elsewhere = await person.signIn(email, PASSWORD, { organization: two.organizationId })
  assert.equal(elsewhere.statusCode, 401)
})

test('failures in a row lock the account; an administrator unlocks it', async () => {
  const org = await app.newOrganization()
  await policy(org, { maxLoginAttempts: 3 })
  const user = await addPerson(org)
  const fail = async () =>
    assert.equal((await newPerson().signIn(user.username, 'Wrong-Orchard-58')).statusCode, 401)
  await fail()
  await fail()
  await newPerson().enter(user.username)
  for (let at = 0; at < 3; at++) await fail()
  const locked = (await org.get(`/api/systemusers/${user.id}`)).json()
  assert.equal(locked.account_locked, true)
  assert.equal(locked.badLoginAttempts, 3)
  assert.equal((await newPerson().signIn(user.username)).statusCode, 401)
  assert.equal((await org.eventTypes()).filter((type) => type === 'user_lockout').length, 1)
  assert.equal((await org.post(`/api/systemusers/${user.id}/unlock`)).statusCode, 200)
  await newPerson().enter(user.username)
})

test('a lock from failed attempts expires; one set by an administrator does not', async () => {
  const org = await app.newOrganization()
  await policy(org, { maxLoginAttempts: 1, lockoutTimeInSeconds: 300 })
  const user = await addPerson(org)
  await newPerson().signIn(user.username, 'Wrong-Orchard-58')
  assert.equal((await newPerson().signIn(user.username)).statusCode, 401)
  const backdate = () =>
    app.db.tx(org.organizationId, (tx) =>
      tx.run(
        sql`update users set account_locked_date = now() - interval '301 seconds' where id = ${user.id}`,
      ),
    )
  await backdate()
  await newPerson().enter(user.username)
  assert.ok((await org.eventTypes()).includes('user_unlocked'))
  assert.equal((await org.get(`/api/systemusers/${user.id}`)).json().account_locked, false)

  await org.put(`/api/systemusers/${user.id}`, { account_locked: true })
  await backdate()
  assert.equal((await newPerson().signIn(user.username)).statusCode, 401)
})

test('too many failures on one name are blocked, even if no user has it', async () => {
  const name = `nobody.${newId()}`
  const results = await Promise.all(Array.from({ length: 30 }, () => newPerson().signIn(name)))
  assert.ok(results.every(({ statusCode }) => statusCode === 401))
  const res = await newPerson().signIn(name)
  assert.equal(res.statusCode, 429)
  assert.ok(Number(res.headers['retry-after']) > 0)
})

test('a change requires the CSRF token and must come from our own pages', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const person = await newPerson().enter(user.username)
  const token = person.csrfToken
  person.csrfToken = 'x'
  assert.equal((await person.post('/sign-out')).statusCode, 403)
  person.csrfToken = token
  const foreign = async (headers: Record<string, string>) =>
    app.http.inject({
      method: 'POST',
      url: '/auth/users/sign-in',
      headers,
      payload: { identifier: user.username, password: PASSWORD },
    })
  assert.equal((await foreign({ origin: 'https://evil.example' })).statusCode, 403)
  assert.equal((await foreign({ 'sec-fetch-site': 'cross-site' })).statusCode, 403)
  assert.equal(
    (await foreign({ origin: 'http://localhost:8099', host: 'localhost:8099' })).statusCode,
    200,
  )
  const res = await person.post('/sign-out')
  assert.deepEqual(res.json(), { status: 'signed_out', continueTo: null })
  assert.match(
    String(res.headers['set-cookie']),
    /^gatehouse_portal=; Path=\/; Expires=Thu, 01 Jan 1970/,
  )
  assert.deepEqual((await person.get('/session')).json(), { status: 'signed_out' })
  assert.equal((await person.get('/security')).statusCode, 401)
})

test('a second factor is enrolled, required, and each code is accepted once', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const person = await newPerson().enter(user.username)
  const { secret, otpauthUrl } = (await person.post('/totp')).json()
  app.secrets.add(secret)
  const [code, next] = codesOf(secret)
  // The organization, to tell accounts in one app apart.
  assert.match(otpauthUrl, /^otpauth:\/\/totp\/Organization%20\w+:/)
  const wrong = await person.post('/totp/confirm', { code: '000000' })
  assert.equal(wrong.statusCode, 400)
  assert.match(wrong.json().message, /^code: /)
  const confirmed = await person.post('/totp/confirm', { code })
  assert.equal(confirmed.json().status, 'signed_in', confirmed.body)
  assert.equal((await org.get(`/api/systemusers/${user.id}`)).json().totp_enabled, true)
  assert.equal((await person.post('/totp')).statusCode, 409)

  const again = newPerson()
  assert.equal((await again.signIn(user.username)).json().status, 'totp_required')
  for (const path of ['/applications', '/profile', '/sessions', '/security'])
    assert.equal((await again.get(path)).statusCode, 401, path)
  const replay = await again.post('/sign-in/totp', { code })
  assert.equal(replay.statusCode, 401, 'the enrolment code is already used')
  const half = again.cookie
  const entered = await again.post('/sign-in/totp', { code: next })
  assert.equal(entered.json().status, 'signed_in', entered.body)
  assert.notEqual(again.cookie, half, 'with a new token')
  const late = await again.post('/sign-in/totp', { code: next })
  assert.deepEqual([late.statusCode, late.json().reason], [409, 'totp_not_owed'])
  const events = await org.events()
  assert.deepEqual(
    events
      .filter(({ event_type }) => /totp|login/.test(event_type))
      .map(({ event_type, success, mfa }) => [event_type, success, mfa]),
    [
      ['user_login_attempt', true, false],
      ['totp_start_enrollment', true, false],
      ['totp_finish_enrollment', true, true],
      ['user_login_attempt', false, true],
      ['user_login_attempt', true, true],
    ],
  )

  const removed = await again.post('/totp/remove', { code: '000000' })
  assert.equal(removed.statusCode, 400)
  const reset = await org.post(`/api/systemusers/${user.id}/resetmfa`, { exclusion: false })
  assert.equal(reset.statusCode, 200, reset.body)
  await newPerson().enter(user.username)
})

test('a required second factor is enrolled before anything else, unless the user is excluded', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org, { enable_user_portal_multifactor: true })
  const person = newPerson()
  assert.equal((await person.signIn(user.username)).json().status, 'totp_enrollment_required')
  assert.equal((await person.get('/applications')).statusCode, 401)
  const { secret } = (await person.post('/totp')).json()
  const [code, next] = codesOf(secret)
  const done = await person.post('/totp/confirm', { code })
  assert.equal(done.json().status, 'signed_in')
  assert.equal((await person.get('/security')).json().totp.required, true)
  const kept = await person.post('/totp/remove', { code: next })
  assert.equal(kept.statusCode, 403)

  const mfa = (until: number) => ({
    exclusion: true,
    exclusionUntil: new Date(Date.now() + until).toISOString(),
  })
  const later = await addPerson(org, {
    enable_user_portal_multifactor: true,
    mfa: mfa(86_400_000),
  })
  await newPerson().enter(later.username)
  await app.db.tx(org.organizationId, (tx) =>
    tx.run(sql`
      update users set profile = jsonb_set(profile, '{mfa,exclusionUntil}', '"2020-01-01T00:00:00.000Z"')
       where id = ${later.id}`),
  )
  const res = await newPerson().signIn(later.username)
  assert.equal(res.json().status, 'totp_enrollment_required')
})

test('a fresh sign-in keeps the session and updates its time; another user gets a new session', async () => {
  const org = await app.newOrganization()
  const [user, other] = [await addPerson(org), await addPerson(org)]
  const person = await newPerson().enter(user.username)
  const context = { db: app.db, publicUrl: 'http://localhost' }
  const now = async () =>
    (await currentPerson(context, { headers: { cookie: person.cookie } }))?.session
  const first = await now()
  assert.deepEqual(first?.methods, ['pwd'])
  assert.equal(first?.organizationId, org.organizationId)
  await person.enter(user.username)
  const second = await now()
  assert.equal(second?.id, first?.id)
  assert.equal(second?.index, first?.index)
  assert.ok(second!.authenticatedAt > first!.authenticatedAt)
  await person.enter(other.username)
  const third = await now()
  assert.equal(third?.userId, other.id)
  assert.notEqual(third?.id, first?.id)
  const rows = await app.db
    .tenant(org.organizationId)
    .many(sql`select 1 from user_sessions where user_id = ${user.id}`)
  assert.equal(rows.length, 0)
})
