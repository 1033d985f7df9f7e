import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson, codesOf, PASSWORD, Person } from '../../test/person.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
const WRONG = 'Wrong-Orchard-58'
const OTHER = 'Another-Orchard-59'
app.secrets.add(PASSWORD).add(OTHER)
const newPerson = () => new Person(app.http)
type Org = Awaited<ReturnType<typeof app.newOrganization>>

const policy = (org: Org, passwordPolicy: object) =>
  org.put(`/api/organizations/${org.organizationId}`, { settings: { passwordPolicy } })
const read = async (org: Org, { id }: { id: string }) =>
  (await org.get(`/api/systemusers/${id}`)).json()
/** The number of attempts that were checked, not just refused. */
const judged = async (org: Org, message: string) =>
  (await org.events()).filter(({ error_message }) => error_message === message).length
const lockouts = async (org: Org) =>
  (await org.eventTypes()).filter((type) => type === 'user_lockout').length
const times = <T>(count: number, work: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, work))

// All tests share one address, which has its own limit.
beforeEach(async () => {
  await app.db.run(sql`delete from sign_in_failures`)
})

const LIMIT = 3

async function newOrg(more: object = {}) {
  const org = await app.newOrganization()
  await policy(org, { maxLoginAttempts: LIMIT, lockoutTimeInSeconds: 300, ...more })
  return org
}

test('concurrent password guesses do not exceed the limit of the policy', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  const results = await times(20, () => newPerson().signIn(user.username, WRONG))
  assert.ok(results.every(({ statusCode }) => statusCode === 401))
  assert.equal(await judged(org, 'password does not match'), LIMIT)
  assert.equal((await read(org, user)).account_locked, true)
  assert.equal(await lockouts(org), 1)
  assert.equal((await newPerson().signIn(user.username)).statusCode, 401)
})

test('without a policy the per-user limit holds for concurrent guesses', async () => {
  const org = await newOrg({ enableMaxLoginAttempts: false })
  const user = await addPerson(org)
  const results = await times(40, () => newPerson().signIn(user.username, WRONG))
  const refused = results.filter(({ statusCode }) => statusCode === 401)
  assert.equal(refused.length, 30)
  assert.equal(results.filter(({ statusCode }) => statusCode === 429).length, 10)
  // Another name of the user has no attempts left either, but the answer does not reveal the link.
  const { organizationId: organization } = org
  for (const more of [{}, { organization }]) {
    const known = await newPerson().signIn(user.email, PASSWORD, more)
    const unknown = await newPerson().signIn(`nobody.${newId()}`, PASSWORD, more)
    assert.deepEqual([known.statusCode, known.body], [401, unknown.body])
  }
  assert.equal(await judged(org, 'too many failed attempts'), 2)
})

test('concurrent code guesses do not exceed the limit of the policy', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  const owner = await newPerson().enter(user.username)
  const { secret } = (await owner.post('/totp')).json()
  app.secrets.add(secret)
  assert.equal((await owner.post('/totp/confirm', { code: codesOf(secret)[0] })).statusCode, 200)
  const thief = newPerson()
  assert.equal((await thief.signIn(user.username)).json().status, 'totp_required')
  assert.equal((await read(org, user)).badLoginAttempts, 0, 'the first step was right')
  await times(20, () => thief.post('/sign-in/totp', { code: '000000' }))
  assert.equal(await judged(org, 'code does not match'), LIMIT)
  assert.equal((await read(org, user)).account_locked, true)
})

test('guesses at removing the second factor count like those of a sign-in', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  const person = await newPerson().enter(user.username)
  const { secret } = (await person.post('/totp')).json()
  app.secrets.add(secret)
  const [code, next] = codesOf(secret)
  assert.equal((await person.post('/totp/confirm', { code })).statusCode, 200)
  assert.equal((await person.post('/totp/remove', { code: '000000' })).statusCode, 400)
  assert.equal((await read(org, user)).badLoginAttempts, 1)
  assert.equal((await person.post('/totp/remove', { code: next })).statusCode, 200)
  assert.equal((await read(org, user)).badLoginAttempts, 0)
  assert.equal((await person.post('/totp/remove', { code: next })).statusCode, 409)
})

test('the holder of a session cannot guess the current password concurrently', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  const person = await newPerson().enter(user.username)
  const change = (currentPassword: string) => () =>
    person.post('/password/change', { currentPassword, password: OTHER })
  await times(20, change(WRONG))
  assert.equal(await judged(org, 'password does not match'), LIMIT)
  assert.equal((await change(PASSWORD)()).statusCode, 401)
})

test('the right password before the limit resets the counters', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  for (let round = 0; round < 3; round++) {
    for (let at = 1; at < LIMIT; at++) await newPerson().signIn(user.username, WRONG)
    await newPerson().enter(user.username)
    assert.equal((await read(org, user)).badLoginAttempts, 0)
  }
  assert.equal(await lockouts(org), 0)
})

test('after a lock expires, failures are counted from one and lock again', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  const fail = () => newPerson().signIn(user.username, WRONG)
  for (let at = 0; at < LIMIT; at++) await fail()
  await app.db.tx(org.organizationId, (tx) =>
    tx.run(
      sql`update users set account_locked_date = now() - interval '301 seconds' where id = ${user.id}`,
    ),
  )
  await fail()
  const begun = await read(org, user)
  assert.deepEqual([begun.account_locked, begun.badLoginAttempts], [false, 1])
  for (let at = 1; at < LIMIT; at++) await fail()
  assert.equal((await read(org, user)).account_locked, true)
  assert.equal((await newPerson().signIn(user.username)).statusCode, 401)
  assert.equal(await lockouts(org), 2)
})

test('a name in several organizations: guesses without one count against no account', async () => {
  const [one, two] = [await newOrg(), await newOrg()]
  const username = `same.${newId()}`
  const [first, second] = [
    await addPerson(one, { username }),
    await addPerson(two, { username, password: OTHER }),
  ]
  const results = await times(40, () => newPerson().signIn(username, WRONG))
  assert.equal(results.filter(({ statusCode }) => statusCode === 401).length, 30)
  for (const [org, user] of [
    [one, first],
    [two, second],
  ] as const) {
    const { account_locked, badLoginAttempts } = await read(org, user)
    assert.deepEqual([account_locked, badLoginAttempts], [false, 0])
    assert.equal(
      await judged(org, 'password does not match'),
      30,
      'both organizations get the events',
    )
  }
  assert.equal((await newPerson().signIn(username)).statusCode, 429)
  const { organizationId: organization } = one
  const chosen = await newPerson().signIn(username, PASSWORD, { organization })
  assert.equal(chosen.statusCode, 200, 'naming the organization is not blocked')
})

test('a success in another organization does not reset the counter', async () => {
  const [own, aim] = [await newOrg(), await newOrg({ enableMaxLoginAttempts: false })]
  const username = `twin.${newId()}`
  await addPerson(own, { username })
  await addPerson(aim, { username, password: OTHER })
  const guess = () => newPerson().signIn(username, WRONG, { organization: aim.organizationId })
  const before = await times(20, guess)
  const entered = await newPerson().signIn(username, PASSWORD, {
    organization: own.organizationId,
  })
  assert.equal(entered.statusCode, 200)
  await newPerson().enter(username)
  const after = await times(20, guess)
  const tried = [...before, ...after].filter(({ statusCode }) => statusCode === 401)
  assert.equal(tried.length, 30)
})

test('a typed name cannot collide with the subject of a user or an address', async () => {
  const org = await newOrg()
  const user = await addPerson(org)
  const typed = [`${org.organizationId} ${user.id}`, user.id, 'address 127.0.0.1']
  for (const name of typed) await times(31, () => newPerson().signIn(name, WRONG))
  await newPerson().enter(user.username)
})
