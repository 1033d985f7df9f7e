import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson, bindApplication, PASSWORD, Person } from '../../test/person.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { listMails } from '../platform/mail.ts'
import { deleteExpiredSessionsJob } from './job-definitions.ts'

const app = await startApp()
const NEW = 'Painted-Harbour-71'
app.secrets.add(PASSWORD).add(NEW)
const newPerson = () => new Person(app.http)
type Org = Awaited<ReturnType<typeof app.newOrganization>>
const policy = (org: Org, passwordPolicy: object) =>
  org.put(`/api/organizations/${org.organizationId}`, { settings: { passwordPolicy } })
const update = (org: Org, query: ReturnType<typeof sql>) =>
  app.db.tx(org.organizationId, (tx) => tx.run(query))
const mailsTo = async (recipient: string) =>
  (await listMails(app.db, app.sealer, 1000)).filter((mail) => mail.recipient === recipient)
const linkIn = (body: string) => {
  const query = new URL(/http\S+\/password\S+/.exec(body)![0]).searchParams
  return { organization: query.get('organization')!, token: query.get('token')! }
}

test('a forgotten password: a mail, a page that names the user, a new password', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org, { firstname: 'Ada' })
  const before = await newPerson().enter(user.username)
  const asked = await newPerson().post('/password/forgot', { identifier: user.username })
  const unknown = await newPerson().post('/password/forgot', { identifier: `nobody.${newId()}` })
  assert.equal(asked.statusCode, 200)
  assert.equal(asked.body, unknown.body)
  await app.runDueJobs()
  const mail = (await mailsTo(user.email)).at(-1)!
  assert.match(mail.body, /someone, probably you/)
  const link = linkIn(mail.body)
  const shown = (await newPerson().post('/password/link', link)).json()
  assert.equal(shown.purpose, 'reset')
  assert.equal(shown.username, user.username)
  assert.ok(shown.rules.some(({ rule }: { rule: string }) => rule === 'minLength'))
  const weak = await newPerson().post('/password', { ...link, password: 'short' })
  assert.equal(weak.statusCode, 400)
  assert.match(weak.json().message, /^password: must have at least 12 characters/)
  assert.equal(weak.json().reason, 'password_rejected')
  assert.equal((await newPerson().post('/password', { ...link, password: NEW })).statusCode, 200)
  assert.equal((await newPerson().post('/password/link', link)).statusCode, 400, 'works once')
  assert.equal((await before.get('/security')).statusCode, 401, 'sessions end with the password')
  await newPerson().enter(user.username, NEW)
  assert.ok((await org.eventTypes()).includes('user_password_reset_request'))
})

test('users who cannot sign in get no mail, and mails are rate-limited', async () => {
  const org = await app.newOrganization()
  const forgot = async ({ email }: { email: string }) => {
    const res = await newPerson().post('/password/forgot', { identifier: email })
    assert.equal(res.statusCode, 200)
    await app.runDueJobs()
  }
  const suspended = await addPerson(org, { state: 'SUSPENDED' })
  await forgot(suspended)
  assert.deepEqual(await mailsTo(suspended.email), [])
  const user = await addPerson(org)
  const had = (await mailsTo(user.email)).length
  for (let at = 0; at < 7; at++) await forgot(user)
  assert.equal((await mailsTo(user.email)).length - had, 5)
  await policy(org, { allowUnenrolledMFAPasswordReset: false })
  const unenrolled = await addPerson(org, { enable_user_portal_multifactor: true })
  const welcomed = (await mailsTo(unenrolled.email)).length
  await forgot(unenrolled)
  assert.equal((await mailsTo(unenrolled.email)).length, welcomed)
})

test('the link of an activation mail leads to the first password', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org, { password: undefined, state: 'STAGED' })
  await org.post(`/api/systemusers/${user.id}/state/activate`)
  const link = linkIn((await mailsTo(user.email)).at(-1)!.body)
  const shown = (await newPerson().post('/password/link', link)).json()
  assert.equal(shown.purpose, 'activation')
  assert.equal((await newPerson().post('/password', { ...link, password: NEW })).statusCode, 200)
  await newPerson().enter(user.email, NEW)
  const other = await app.newOrganization()
  const moved = { ...link, organization: other.organizationId }
  assert.equal((await newPerson().post('/password/link', moved)).statusCode, 400)
})

test('an expired password must be replaced with a different one at sign-in', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  await org.post(`/api/systemusers/${user.id}/expire`)
  const person = newPerson()
  assert.equal((await person.signIn(user.username)).json().status, 'password_expired')
  assert.equal((await person.get('/profile')).statusCode, 401)
  assert.equal((await person.get('/password/rules')).statusCode, 200)
  const same = await person.post('/sign-in/password', { password: PASSWORD })
  assert.deepEqual([same.statusCode, same.json().reason], [400, 'password_same'])
  const weak = await person.post('/sign-in/password', { password: 'weak' })
  assert.equal(weak.json().reason, 'password_rejected')
  const done = await person.post('/sign-in/password', { password: NEW })
  assert.equal(done.json().status, 'signed_in', done.body)
  assert.equal((await person.get('/profile')).statusCode, 200)
  const late = await person.post('/sign-in/password', { password: PASSWORD })
  assert.deepEqual([late.statusCode, late.json().reason], [409, 'password_not_expired'])
  await newPerson().enter(user.username, NEW)
})

test('the organization decides how early and how late an expiring password can be replaced', async () => {
  const org = await app.newOrganization()
  await policy(org, {
    enableDaysBeforeExpirationToForceReset: true,
    daysBeforeExpirationToForceReset: 3,
    enableDaysAfterExpirationToSelfRecover: true,
    daysAfterExpirationToSelfRecover: 10,
  })
  const user = await addPerson(org)
  const expire = (days: number) =>
    update(
      org,
      sql`update users set password_expiration_date = now() + make_interval(days => ${days}) where id = ${user.id}`,
    )
  const status = async () => {
    const res = await newPerson().signIn(user.username)
    return res.statusCode === 200 ? res.json().status : res.json().reason
  }
  await expire(5)
  assert.equal(await status(), 'signed_in')
  await expire(2)
  assert.equal(await status(), 'password_expired')
  await expire(-9)
  assert.equal(await status(), 'password_expired')
  await expire(-11)
  assert.equal(await status(), 'password_expired_long_ago')
})

test('changing the password requires the current one, enforces the rules and ends other sessions', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const [person, elsewhere] = [newPerson(), newPerson()]
  await person.enter(user.username)
  await elsewhere.enter(user.username)
  const change = (currentPassword: string, password: string) =>
    person.post('/password/change', { currentPassword, password })
  const wrong = await change('Wrong-Orchard-58', NEW)
  assert.equal(wrong.statusCode, 400)
  assert.match(wrong.json().message, /^currentPassword: /)
  assert.equal(wrong.json().reason, 'current_password')
  const weak = await change(PASSWORD, `x${user.username}X1`)
  const broken = weak.json().details[0].fieldViolationsList
  assert.deepEqual(broken, [{ field: 'password', description: 'username' }])
  const cookie = person.cookie
  assert.equal((await change(PASSWORD, NEW)).statusCode, 200)
  assert.notEqual(person.cookie, cookie)
  assert.equal((await person.get('/security')).statusCode, 200)
  assert.equal((await elsewhere.get('/security')).statusCode, 401)
  assert.ok((await org.eventTypes()).includes('user_password_change'))
  await policy(org, { enableMinChangePeriodInDays: true, minChangePeriodInDays: 1 })
  const soon = await change(NEW, 'Quiet-Meadow-93')
  assert.equal(soon.statusCode, 400)
  assert.equal(soon.json().reason, 'password_too_soon')
})

test("users list and end their own sessions; other users' sessions are not found", async () => {
  const [org, foreign] = [await app.newOrganization(), await app.newOrganization()]
  const user = await addPerson(org)
  const [here, there, third] = [newPerson(), newPerson(), newPerson()]
  for (const person of [here, there, third]) await person.enter(user.username)
  const stranger = await newPerson().enter((await addPerson(foreign)).username)
  const list = (await here.get('/sessions')).json()
  assert.equal(list.length, 3)
  assert.equal(list.filter(({ current }: { current: boolean }) => current).length, 1)
  const [own] = (await there.get('/sessions'))
    .json()
    .filter(({ current }: { current: boolean }) => current)
  const refused = await stranger.delete(`/sessions/${own.id}`)
  assert.deepEqual([refused.statusCode, refused.json().reason], [404, 'session_not_found'])
  assert.equal((await here.delete(`/sessions/${own.id}`)).statusCode, 200)
  assert.equal((await there.get('/security')).statusCode, 401)
  assert.equal((await here.delete('/sessions')).statusCode, 200)
  assert.equal((await third.get('/security')).statusCode, 401)
  assert.equal((await here.get('/security')).statusCode, 200)
})

test('sessions end when the user is suspended, locked or deleted, and do not come back', async () => {
  const org = await app.newOrganization()
  const ways: ((id: string) => Promise<unknown>)[] = [
    (id) => org.put(`/api/systemusers/${id}`, { state: 'SUSPENDED' }),
    (id) => org.put(`/api/systemusers/${id}`, { account_locked: true }),
    (id) => org.put(`/api/systemusers/${id}`, { password: NEW }),
    (id) => org.delete(`/api/systemusers/${id}`),
  ]
  for (const [at, way] of ways.entries()) {
    const user = await addPerson(org)
    const person = await newPerson().enter(user.username)
    await way(user.id)
    assert.equal((await person.get('/security')).statusCode, 401, String(at))
  }
})

test('idle and expired sessions end, and the job deletes them', async () => {
  const org = await app.newOrganization()
  await org.put(`/api/organizations/${org.organizationId}`, {
    settings: { userPortal: { idleSessionDurationMinutes: 5, cookieExpirationType: 'date' } },
  })
  const user = await addPerson(org)
  const [idle, old, fine] = [newPerson(), newPerson(), newPerson()]
  const res = await idle.signIn(user.username)
  assert.match(String(res.headers['set-cookie']), /; Expires=/)
  await update(org, sql`update user_sessions set seen_at = now() - interval '6 minutes'`)
  assert.equal((await idle.get('/security')).statusCode, 401)
  await old.enter(user.username)
  await update(org, sql`update user_sessions set expires_at = now() - interval '1 second'`)
  assert.equal((await old.get('/security')).statusCode, 401)
  await fine.enter(user.username)
  await app.db.tx(null, (tx) => app.queue.send(tx, deleteExpiredSessionsJob, {}))
  await app.runDueJobs()
  const rows = await app.db.tenant(org.organizationId).many(sql`select 1 from user_sessions`)
  assert.equal(rows.length, 1)
  assert.equal((await fine.get('/security')).statusCode, 200)
})

test('a cookie moved to another tenant opens nothing', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const person = await newPerson().enter((await addPerson(org)).username)
  person.cookie = person.cookie.replace(org.organizationId, other.organizationId)
  assert.equal((await person.get('/security')).statusCode, 401)
  person.cookie = 'gatehouse_portal=nonsense'
  assert.equal((await person.get('/security')).statusCode, 401)
})

test('the profile shows the directory record, with the manager by name', async () => {
  const org = await app.newOrganization()
  const manager = await addPerson(org, { firstname: 'Max', lastname: 'Boss' })
  const user = await addPerson(org, {
    department: 'Research',
    manager: manager.id,
    phoneNumbers: [{ type: 'work', number: '+1 555 0100' }],
  })
  const person = await newPerson().enter(user.username)
  const profile = (await person.get('/profile')).json()
  assert.equal(profile.department, 'Research')
  assert.deepEqual(profile.manager, { name: 'Max Boss', email: manager.email })
  assert.deepEqual(profile.phoneNumbers, [{ type: 'work', number: '+1 555 0100' }])
  const security = (await person.get('/security')).json()
  assert.deepEqual(security.totp, {
    enrolled: false,
    enrolledAt: null,
    required: false,
    recoveryCodesLeft: 0,
  })
  assert.equal((await newPerson().get('/profile')).statusCode, 401)
})

test('tiles of bound applications link to their sign-in, or directly to the application', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const user = await addPerson(org)
  const person = await newPerson().enter(user.username)
  assert.deepEqual((await person.get('/applications')).json(), [])
  const slug = `crm-${newId()}`
  const crm = await bindApplication(org, user.id, {
    name: 'saml2',
    displayLabel: 'CRM',
    displayName: 'Customers',
    ssoUrl: `https://sso.example.com/saml2/${slug}`,
    config: {
      acsUrl: { value: 'https://crm.example.com/acs' },
      spEntityId: { value: 'https://crm.example.com' },
    },
  })
  await bindApplication(org, user.id, { displayLabel: 'Wiki' })
  await bindApplication(org, user.id, { displayLabel: 'Asleep', active: false })
  await bindApplication(other, (await addPerson(other)).id, { displayLabel: 'Elsewhere' })
  const tiles = (await person.get('/applications')).json() as { id: string; url: string }[]
  assert.deepEqual(
    tiles.map(({ url }) => url),
    [`/saml2/${slug}`, 'https://wiki.example.com/'],
  )
  await org.post(`/api/v2/applications/${crm}/associations`, {
    op: 'remove',
    type: 'user',
    id: user.id,
  })
  assert.equal((await person.get('/applications')).json().length, 1)
})
