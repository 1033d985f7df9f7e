import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilBlocked } from '../../test/blocked.ts'
import { startApp } from '../../test/harness.ts'
import { listenTo } from '../../test/news.ts'
import { addPerson, codesOf, PASSWORD, Person } from '../../test/person.ts'
import type { Tx } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

const app = await startApp()
const NEW = 'Painted-Harbour-71'
app.secrets.add(PASSWORD).add(NEW)
const newPerson = () => new Person(app.http)
type Org = Awaited<ReturnType<typeof app.newOrganization>>

/** Sends the request, and changes the user after it was admitted but before it continues. */
async function meanwhile<T>(
  org: Org,
  userId: string,
  send: () => Promise<T>,
  change: (tx: Tx) => Promise<unknown>,
): Promise<T> {
  const { pending } = await app.db.tx(org.organizationId, async (tx) => {
    await tx.run(sql`select 1 from users where id = ${userId} for update`)
    const pending = send()
    await untilBlocked(app.db, tx)
    await change(tx)
    return { pending }
  })
  return pending
}

const endSessions = (userId: string) => (tx: Tx) =>
  tx.run(sql`delete from user_sessions where user_id = ${userId}`)
const sessionsOf = (org: Org, userId: string) =>
  app.db.tenant(org.organizationId).many(sql`select 1 from user_sessions where user_id = ${userId}`)

test('a code neither revives an ended session nor completes one of a former password', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const owner = await newPerson().enter(user.username)
  const { secret } = (await owner.post('/totp')).json()
  app.secrets.add(secret)
  const [code, next] = codesOf(secret)
  assert.equal((await owner.post('/totp/confirm', { code })).statusCode, 200)
  const thief = newPerson()
  assert.equal((await thief.signIn(user.username)).json().status, 'totp_required')
  const give = () => thief.post('/sign-in/totp', { code: next })
  const ended = await meanwhile(org, user.id, give, endSessions(user.id))
  assert.equal(ended.statusCode, 401)
  assert.deepEqual(await sessionsOf(org, user.id), [])

  assert.equal((await thief.signIn(user.username)).json().status, 'totp_required')
  const changed = await meanwhile(org, user.id, give, (tx) =>
    tx.run(sql`update users set password_hash = 'x' where id = ${user.id}`),
  )
  assert.equal(changed.statusCode, 401)
  assert.equal((await thief.get('/security')).statusCode, 401)
})

test('an enrolment or a new password does not revive an ended session', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const enrolling = await newPerson().enter(user.username)
  const { secret } = (await enrolling.post('/totp')).json()
  app.secrets.add(secret)
  const [code] = codesOf(secret)
  const confirm = () => enrolling.post('/totp/confirm', { code })
  const first = await meanwhile(org, user.id, confirm, endSessions(user.id))
  assert.equal(first.statusCode, 401)

  const changing = await newPerson().enter(user.username)
  const change = () =>
    changing.post('/password/change', { currentPassword: PASSWORD, password: NEW })
  const second = await meanwhile(org, user.id, change, endSessions(user.id))
  assert.equal(second.statusCode, 401)
  assert.deepEqual(await sessionsOf(org, user.id), [])
  await newPerson().enter(user.username)
})

test('a fresh sign-in whose session ends concurrently gets a new session', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const person = await newPerson().enter(user.username)
  const [before] = (await person.get('/sessions')).json()
  const again = () => person.signIn(user.username)
  const res = await meanwhile(org, user.id, again, endSessions(user.id))
  assert.equal(res.statusCode, 200)
  const [after] = (await person.get('/sessions')).json()
  assert.notEqual(after.id, before.id)
})

test('a replaced session token cannot continue the sign-in', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org, { enable_user_portal_multifactor: true })
  const person = newPerson()
  await person.signIn(user.username)
  const { secret } = (await person.post('/totp')).json()
  app.secrets.add(secret)
  const [code] = codesOf(secret)
  const res = await meanwhile(
    org,
    user.id,
    () => person.post('/totp/confirm', { code }),
    (tx) => tx.run(sql`update user_sessions set hash = 'other' where user_id = ${user.id}`),
  )
  assert.equal(res.statusCode, 401)
})

test('sessionEnded fires for every way a session ends early', async () => {
  const org = await app.newOrganization()
  const news = listenTo(app.contexts.portal.sessionEnded, org.organizationId)
  const user = await addPerson(org)
  const here = await newPerson().enter(user.username)
  const [{ id }] = (await here.get('/sessions')).json()
  const elsewhere = async () => {
    await newPerson().enter(user.username)
    const sessions: { id: string; current: boolean }[] = (await here.get('/sessions')).json()
    return sessions.find(({ current }) => !current)!.id
  }
  const first = await elsewhere()
  assert.deepEqual(news.heard(), [])

  await news.failing(() => here.delete(`/sessions/${first}`))
  assert.equal((await sessionsOf(org, user.id)).length, 2)
  assert.equal((await here.delete(`/sessions/${first}`)).statusCode, 200)
  const told = news.only()
  assert.deepEqual([told.id, told.userId], [first, user.id])
  assert.equal((await here.delete(`/sessions/${first}`)).statusCode, 404)

  const both = [await elsewhere(), await elsewhere()]
  await news.failing(() => here.delete('/sessions'))
  assert.equal((await sessionsOf(org, user.id)).length, 3)
  assert.equal((await here.delete('/sessions')).statusCode, 200)
  assert.deepEqual(new Set(news.heard().map((session) => session.id)), new Set(both))
  assert.equal((await here.delete('/sessions')).statusCode, 200)
  assert.deepEqual(news.heard(), [])

  const last = await elsewhere()
  await news.failing(() => here.post('/sign-out'))
  assert.equal((await here.post('/sign-out')).statusCode, 200)
  assert.equal(news.only().id, id)

  const url = `/api/systemusers/${user.id}`
  assert.equal((await org.put(url, { department: 'Sales' })).statusCode, 200)
  assert.deepEqual(news.heard(), [])
  await news.failing(() => org.put(url, { suspended: true }))
  assert.equal((await org.get(url)).json().suspended, false)
  assert.equal((await org.put(url, { suspended: true })).statusCode, 200)
  assert.equal(news.only().id, last)
})

test('behind https the cookie is bound to the host by its name', async () => {
  const secure = await startApp({ env: { GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' } })
  const org = await secure.newOrganization()
  const user = await addPerson(org)
  const person = new Person(secure.http)
  const res = await person.signIn(user.username)
  const [cookie, device] = res.headers['set-cookie']!
  assert.match(device!, /; Secure; /)
  assert.match(cookie!, /^__Host-gatehouse_portal=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  assert.equal((await person.get('/security')).statusCode, 200)
  const plain = new Person(secure.http)
  plain.cookie = person.cookie.replace('__Host-', '')
  assert.equal((await plain.get('/security')).statusCode, 401, 'another host could have set it')
  const out = await person.post('/sign-out')
  assert.match(String(out.headers['set-cookie']), /^__Host-gatehouse_portal=; Path=\/; Expires=/)
})
