import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson, codesOf, PASSWORD, Person } from '../../test/person.ts'
import { sql } from '../platform/db/sql.ts'

const app = await startApp()
/** Another process on the same database. */
const other = await startApp({ beside: app })
const WRONG = 'Wrong-Orchard-58'
app.secrets.add(PASSWORD)
const LIMIT = 5
type Org = Awaited<ReturnType<typeof app.newOrganization>>

async function newOrg() {
  const org = await app.newOrganization()
  const passwordPolicy = {
    enableMaxLoginAttempts: true,
    maxLoginAttempts: LIMIT,
    enableLockoutTimeInSeconds: true,
    lockoutTimeInSeconds: 300,
  }
  await org.put(`/api/organizations/${org.organizationId}`, { settings: { passwordPolicy } })
  return org
}
const standing = async (org: Org, { id }: { id: string }) => {
  const { account_locked, badLoginAttempts } = (await org.get(`/api/systemusers/${id}`)).json()
  const lockouts = (await org.eventTypes()).filter((type) => type === 'user_lockout').length
  return { account_locked, badLoginAttempts, lockouts }
}
const untouched = { account_locked: false, badLoginAttempts: 0, lockouts: 0 }
const judged = async (org: Org) =>
  (await org.events()).filter(({ error_message }) => /does not match/.test(String(error_message)))
    .length
/** Alternates between the two processes. */
const times = <T>(count: number, work: (person: Person, at: number) => Promise<T>) =>
  Promise.all(
    Array.from({ length: count }, (_, at) =>
      work(new Person(at % 2 === 0 ? app.http : other.http), at),
    ),
  )
const statuses = (results: { statusCode: number }[]) => results.map((res) => res.statusCode)

beforeEach(async () => {
  await app.db.run(sql`delete from sign_in_failures`)
})

test('ten concurrent right passwords sign in ten times, on one process or two', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  const alone = await Promise.all(
    Array.from({ length: 10 }, () => new Person(app.http).signIn(user.username)),
  )
  assert.deepEqual(statuses(alone), Array(10).fill(200))
  const both = await times(10, (person) => person.signIn(user.username))
  assert.deepEqual(statuses(both), Array(10).fill(200))
  assert.deepEqual(await standing(org, user), untouched)
})

test('ten concurrent right passwords sign in even when one more failure would lock', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  for (let at = 1; at < LIMIT; at++) await new Person(app.http).signIn(user.username, WRONG)
  assert.equal((await standing(org, user)).badLoginAttempts, LIMIT - 1)
  const results = await Promise.all(
    Array.from({ length: 10 }, () => new Person(app.http).signIn(user.username)),
  )
  assert.deepEqual(statuses(results), Array(10).fill(200))
  assert.deepEqual(await standing(org, user), untouched)
})

test('ten concurrent wrong passwords on two processes, under two names: five are checked, then it locks', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  const names = [user.username, user.email, user.email]
  const results = await times(20, (person, at) => person.signIn(names[at % 3]!, WRONG))
  assert.ok(results.every(({ statusCode }) => statusCode === 401 || statusCode === 429))
  // Attempts that found others in flight were refused unchecked, so send the remaining ones sequentially.
  for (let at = 0; at < LIMIT; at++) await new Person(app.http).signIn(user.username, WRONG)
  assert.equal(await judged(org), LIMIT)
  assert.deepEqual(await standing(org, user), {
    account_locked: true,
    badLoginAttempts: LIMIT,
    lockouts: 1,
  })
})

test('concurrent right codes, distinct or identical, do not lock', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  const owner = await new Person(app.http).enter(user.username)
  const { secret } = (await owner.post('/totp')).json()
  app.secrets.add(secret)
  const [first, code] = codesOf(secret)
  const { recoveryCodes } = (await owner.post('/totp/confirm', { code: first })).json()
  const halfOpen = async (person: Person) => {
    assert.equal((await person.signIn(user.username)).json().status, 'totp_required')
    return person
  }
  const people = await times(10, halfOpen)
  const recovered = await Promise.all(
    people.map((person, at) => person.post('/sign-in/totp', { code: recoveryCodes[at] })),
  )
  assert.deepEqual(statuses(recovered), Array(10).fill(200))
  assert.deepEqual(await standing(org, user), untouched)

  const again = await times(10, halfOpen)
  const same = await Promise.all(again.map((person) => person.post('/sign-in/totp', { code })))
  assert.deepEqual(statuses(same).sort(), [200, ...Array(9).fill(401)], 'a code works once')
  assert.deepEqual(await standing(org, user), untouched)
  const used = (await org.events()).filter((e) => e.error_message === 'code was used already')
  assert.equal(used.length, 9)
})

test('ten concurrent confirmations of the current password do not lock', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  const person = await new Person(app.http).enter(user.username)
  const change = () =>
    person.post('/password/change', { currentPassword: PASSWORD, password: 'short' })
  const results = await Promise.all(Array.from({ length: 10 }, change))
  assert.deepEqual(
    statuses(results),
    Array(10).fill(400),
    'the current password is right, but the new one is refused',
  )
  assert.deepEqual(await standing(org, user), untouched)
})

test('of ten concurrent changes of the password one is made', async () => {
  const user = await addPerson(await newOrg())
  const people = await times(10, (person) => person.enter(user.username))
  const results = await Promise.all(
    people.map((person, at) =>
      person.post('/password/change', { currentPassword: PASSWORD, password: `${PASSWORD}-${at}` }),
    ),
  )
  const refused = results.filter(({ statusCode }) => statusCode !== 200)
  assert.equal(refused.length, 9)
  const reasons = new Set(refused.map((res) => res.json().reason))
  assert.ok(reasons.has('password_changed'), [...reasons].join())
})

test('with many concurrent attempts on one name some wait and the others get 429', async () => {
  const user = await addPerson(await newOrg())
  const results = await Promise.all(
    Array.from({ length: 40 }, () => new Person(app.http).signIn(user.username)),
  )
  const turned = results.filter(({ statusCode }) => statusCode === 429)
  assert.equal(results.length - turned.length, 33)
  assert.ok(turned.every((res) => res.headers['retry-after'] === '1'))
  assert.equal((await new Person(app.http).signIn(user.username)).statusCode, 200)
})
