import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson, codesOf, PASSWORD, Person } from '../../test/person.ts'
import { sql } from '../platform/db/sql.ts'

const app = await startApp()
app.secrets.add(PASSWORD)
type Org = Awaited<ReturnType<typeof app.newOrganization>>

const keep = (codes: string[]) => {
  for (const code of codes) app.secrets.add(code)
  return codes
}

/** A user with a second factor; `next` is an unused code of the device. */
async function newEnrolled(org: Org) {
  const user = await addPerson(org)
  const person = await new Person(app.http).enter(user.username)
  const { secret } = (await person.post('/totp')).json()
  app.secrets.add(secret)
  const [code, next] = codesOf(secret)
  const confirmed = await person.post('/totp/confirm', { code })
  assert.equal(confirmed.statusCode, 200, confirmed.body)
  return { user, person, next, codes: keep(confirmed.json().recoveryCodes as string[]) }
}

/** The response to the code, after the password. */
async function signInWith(username: string, code: string) {
  const person = new Person(app.http)
  assert.equal((await person.signIn(username)).json().status, 'totp_required')
  const { statusCode } = await person.post('/sign-in/totp', { code })
  return { statusCode, person }
}
const left = async (person: Person) => (await person.get('/security')).json().totp.recoveryCodesLeft
const kept = (org: Org, userId: string) =>
  app.db
    .tenant(org.organizationId)
    .many<{ hash: string }>(sql`select hash from user_recovery_codes where user_id = ${userId}`)

test('ten codes are shown at enrolment; each replaces the device for one sign-in', async () => {
  const org = await app.newOrganization()
  const { user, person, codes } = await newEnrolled(org)
  assert.equal(new Set(codes).size, 10)
  assert.equal(await left(person), 10)
  const stored = await kept(org, user.id)
  assert.ok(stored.every(({ hash }) => !codes.includes(hash) && /^[0-9a-f]{64}$/.test(hash)))

  const first = await signInWith(user.username, codes[0]!)
  assert.equal(first.statusCode, 200)
  assert.equal(await left(first.person), 9)
  const [session] = (await first.person.get('/sessions')).json()
  assert.deepEqual(session.methods, ['pwd', 'otp'])
  assert.equal((await signInWith(user.username, codes[0]!)).statusCode, 401, 'works once')
  // As users copy them from paper.
  const typed = ` ${codes[1]!.replaceAll('-', ' ').toUpperCase()} `
  assert.equal((await signInWith(user.username, typed)).statusCode, 200)

  const events = await org.events()
  assert.equal(events.filter((e) => e.event_type === 'totp_recovery_code_use').length, 2)
  const attempts = events.filter(
    (e) => e.event_type === 'user_login_attempt' && e.success && 'mfa_meta' in e,
  )
  assert.deepEqual(
    attempts.map(({ mfa_meta }) => mfa_meta),
    [{ type: 'recovery_code' }, { type: 'recovery_code' }],
  )
})

test('two requests cannot use one code', async () => {
  const org = await app.newOrganization()
  const { user, codes } = await newEnrolled(org)
  const both = await Promise.all([0, 1].map(() => signInWith(user.username, codes[0]!)))
  assert.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [200, 401])
})

test("another user's code does not work, and guessing locks the account", async () => {
  const org = await app.newOrganization()
  await org.put(`/api/organizations/${org.organizationId}`, {
    settings: { passwordPolicy: { enableMaxLoginAttempts: true, maxLoginAttempts: 2 } },
  })
  const [one, other] = [await newEnrolled(org), await newEnrolled(org)]
  const person = new Person(app.http)
  await person.signIn(one.user.username)
  for (const code of other.codes.slice(0, 2))
    assert.equal((await person.post('/sign-in/totp', { code })).statusCode, 401)
  assert.equal((await org.get(`/api/systemusers/${one.user.id}`)).json().account_locked, true)
  assert.equal((await person.post('/sign-in/totp', { code: one.codes[0] })).statusCode, 401)
  assert.equal((await kept(org, one.user.id)).length, 10)
})

test('codes are regenerated with a code of the device; the old ones stop working', async () => {
  const org = await app.newOrganization()
  const { user, person, next, codes } = await newEnrolled(org)
  const renew = (code: string) => person.post('/totp/recovery-codes', { code })
  for (const code of ['000000', codes[0]!]) {
    const refused = await renew(code)
    assert.equal(refused.statusCode, 400)
    assert.match(refused.json().message, /^code: /)
    assert.equal(refused.json().reason, 'totp_code')
  }
  assert.match((await renew('')).json().message, /code/)
  const renewed = await renew(next)
  assert.equal(renewed.statusCode, 200, renewed.body)
  const fresh = keep(renewed.json().recoveryCodes)
  assert.equal(fresh.length, 10)
  assert.equal((await signInWith(user.username, codes[0]!)).statusCode, 401)
  assert.equal((await signInWith(user.username, fresh[0]!)).statusCode, 200)
  assert.ok((await org.eventTypes()).includes('totp_recovery_codes_create'))
})

test('a user without a second factor, or who has not presented it yet, gets no codes', async () => {
  const org = await app.newOrganization()
  const without = await new Person(app.http).enter((await addPerson(org)).username)
  assert.equal((await without.post('/totp/recovery-codes', { code: '000000' })).statusCode, 409)
  const { user, next } = await newEnrolled(org)
  const half = new Person(app.http)
  await half.signIn(user.username)
  const early = await half.post('/totp/recovery-codes', { code: next })
  assert.deepEqual([early.statusCode, early.json().reason], [401, 'sign_in_unfinished'])
})

test('the codes are deleted with the second factor, no matter who removes it', async () => {
  const org = await app.newOrganization()
  const lost = await newEnrolled(org)
  const reset = await org.post(`/api/systemusers/${lost.user.id}/resetmfa`, {})
  assert.equal(reset.statusCode, 200, reset.body)
  assert.deepEqual(await kept(org, lost.user.id), [])

  // A user who lost the device removes it with a recovery code.
  const { user, codes } = await newEnrolled(org)
  const { person } = await signInWith(user.username, codes[0]!)
  assert.equal((await person.post('/totp/remove', { code: codes[1] })).statusCode, 200)
  assert.deepEqual(await kept(org, user.id), [])
  assert.equal((await new Person(app.http).signIn(user.username)).json().status, 'signed_in')
})
