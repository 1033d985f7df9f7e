import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser } from '../../test/people.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { listMails } from '../platform/mail.ts'

const app = await startApp()
const STRONG = 'Tangled-Orchard-58'
app.secrets.add(STRONG)

type Org = Awaited<ReturnType<typeof app.newOrganization>>
const read = async (org: Org, { id }: { id: string }) =>
  (await org.get(`/api/systemusers/${id}`)).json()
/** Events since the user was created. */
const since = async (org: Org, user: { id: string }) => {
  const events = await org.events()
  const at = events.findLastIndex(
    ({ event_type, resource }) =>
      event_type === 'systemuser_create' && (resource as { id: string }).id === user.id,
  )
  return events.slice(at + 1)
}
const mailsTo = async (recipient: string) =>
  (await listMails(app.db, app.sealer, 1000)).filter((mail) => mail.recipient === recipient)

test('activating a STAGED user: state, event, mail with a link; a repeat changes nothing', async () => {
  const org = await app.newOrganization()
  const alternateEmail = `${newId()}@example.org`
  const user = await addUser(org, {
    state: 'STAGED',
    alternateEmail,
    mfa: { exclusion: true, exclusionDays: 7 },
  })
  assert.equal(user.mfa.exclusionUntil, undefined)
  const res = await org.post(`/api/systemusers/${user.id}/state/activate`)
  assert.equal(res.statusCode, 200)
  assert.equal(typeof res.json(), 'string')
  const after = await read(org, user)
  assert.equal(after.state, 'ACTIVATED')
  assert.equal(after.activated, false)
  assert.ok(Date.parse(after.mfa.exclusionUntil) > Date.now() + 6 * 86_400_000)
  const events = await since(org, user)
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['systemuser_update', 'user_activated', 'user_activation_email'],
  )
  assert.deepEqual(events[1]?.changes, [{ field: 'state', from: 'STAGED', to: 'ACTIVATED' }])
  const [mail] = await mailsTo(alternateEmail)
  assert.match(mail!.body, new RegExp(`/password\\?organization=${org.organizationId}&token=`))

  assert.equal((await org.post(`/api/systemusers/${user.id}/state/activate`, {})).statusCode, 200)
  assert.equal((await since(org, user)).length, events.length)
})

test('the activation mail can be suppressed or redirected; a user with a password gets a welcome mail', async () => {
  const org = await app.newOrganization()
  const activate = (user: { id: string }, body: object) =>
    org.post(`/api/systemusers/${user.id}/state/activate`, body)
  const silent = await addUser(org, { state: 'STAGED' })
  assert.equal((await activate(silent, { email: false })).statusCode, 200)
  assert.deepEqual(await mailsTo(silent.email), [])
  const elsewhere = await addUser(org, { state: 'STAGED' })
  const address = `${newId()}@example.org`
  assert.equal((await activate(elsewhere, { email: address })).statusCode, 200)
  assert.equal((await mailsTo(address)).length, 1)
  assert.deepEqual(await mailsTo(elsewhere.email), [])
  const known = await addUser(org, {
    state: 'STAGED',
    password: STRONG,
    alternateEmail: `${newId()}@example.org`,
  })
  assert.equal((await activate(known, { email: true })).statusCode, 200)
  const [welcome] = await mailsTo(known.email)
  assert.ok(!welcome!.body.includes('token='))
  assert.equal((await activate(silent, { email: 'nobody' })).statusCode, 400)
})

test('a mailed link sets a password once, as the user; a refused password leaves it valid', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const [mail] = await mailsTo(user.email)
  const { searchParams } = new URL(/http\S+/.exec(mail!.body)![0])
  const organization = searchParams.get('organization')
  const token = searchParams.get('token')!
  app.secrets.add(token)
  const choose = (body: object) =>
    app.anonymous.post('/auth/users/password', { organization, token, password: STRONG, ...body })
  assert.equal((await choose({ password: 'short' })).statusCode, 400)
  assert.equal((await choose({ token: 'other' })).statusCode, 400)
  assert.equal((await choose({ organization: newId() })).statusCode, 400)
  assert.equal((await choose({ organization: 'x' })).statusCode, 400)
  assert.equal((await read(org, user)).activated, false)
  assert.equal((await choose({})).statusCode, 200)
  assert.equal((await read(org, user)).activated, true)
  assert.equal((await choose({})).statusCode, 400, 'it works once')
  const event = (await org.events()).at(-1)!
  assert.equal(event.event_type, 'user_password_set')
  const { id, email, username } = user
  assert.deepEqual(event.initiated_by, { type: 'user', id, email, username })
})

test('a link is invalid once the user is suspended or has a password', async () => {
  const org = await app.newOrganization()
  const [suspended, set] = [await addUser(org), await addUser(org)]
  await org.post(`/api/systemusers/${suspended.id}/state/suspend`)
  await org.post(`/api/systemusers/${set.id}/password`, { password: STRONG })
  for (const user of [suspended, set]) {
    const [mail] = await mailsTo(user.email)
    const token = /token=(\S+)/.exec(mail!.body)![1]
    const body = { organization: org.organizationId, token, password: 'Tangled-Orchard-61' }
    assert.equal((await app.anonymous.post('/auth/users/password', body)).statusCode, 400)
  }
})

test('suspending and reactivating, by every route', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org, { password: STRONG })
  const url = `/api/systemusers/${user.id}`
  assert.equal((await org.post(`${url}/state/suspend`)).statusCode, 200)
  assert.equal((await read(org, user)).suspended, true)
  assert.equal((await org.post(`${url}/state/suspend`)).statusCode, 200)
  assert.equal((await org.post(`${url}/state/activate`)).statusCode, 409)
  assert.equal((await org.put(url, { suspended: false })).json().state, 'ACTIVATED')
  assert.equal((await org.put(url, { suspended: 'true' })).json().state, 'SUSPENDED')
  assert.equal((await org.put(url, { state: 'ACTIVATED' })).json().suspended, false)
  assert.equal((await org.put(url, { state: 'SUSPENDED' })).json().suspended, true)
  assert.equal((await org.post(`${url}/reactivate`)).statusCode, 200)
  assert.equal((await read(org, user)).state, 'ACTIVATED')
  assert.deepEqual(
    (await since(org, user)).map(({ event_type }) => event_type),
    [
      'user_suspended',
      'user_unsuspended',
      'user_suspended',
      'user_unsuspended',
      'user_suspended',
      'user_password_reset_request',
      'user_unsuspended',
    ],
  )
})

test('activating with a PUT also sends the mail', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org, { state: 'STAGED' })
  const put = await org.put(`/api/systemusers/${user.id}`, { state: 'ACTIVATED', firstname: 'Mei' })
  assert.equal(put.statusCode, 200)
  assert.deepEqual(
    (await since(org, user)).map(({ event_type }) => event_type),
    ['systemuser_update', 'user_activated', 'user_activation_email'],
  )
})

test('mails can be resent to several users at once', async () => {
  const org = await app.newOrganization()
  const [one, two] = [await addUser(org), await addUser(org, { password: STRONG })]
  const models = [{ _id: one.id }, { _id: two.id }]
  const res = await org.post('/api/systemusers/reactivate', { isSelectAll: false, models })
  assert.equal(res.statusCode, 200)
  assert.equal((await mailsTo(one.email)).length, 2)
  assert.equal((await mailsTo(two.email)).length, 1)
  assert.equal((await org.post('/api/systemusers/reactivate', { models: [] })).statusCode, 400)
})

test('expire marks the password as expired; a new password clears it', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org, { password: STRONG })
  const url = `/api/systemusers/${user.id}`
  const res = await org.post(`${url}/expire`)
  assert.equal(res.statusCode, 200)
  assert.equal(typeof res.json(), 'string')
  assert.equal((await read(org, user)).password_expired, true)
  const found = await org.get('/api/systemusers?filter=password_expired:$eq:true')
  assert.equal(found.json().totalCount, 1)
  app.secrets.add('Tangled-Orchard-59')
  assert.equal(
    (await org.post(`${url}/password`, { password: 'Tangled-Orchard-59' })).statusCode,
    200,
  )
  assert.equal((await read(org, user)).password_expired, false)
  assert.deepEqual(
    (await since(org, user)).map(({ event_type }) => event_type),
    ['user_password_expired', 'user_password_change'],
  )
  assert.equal((await org.post(`${url}/password`, { password: 'short' })).statusCode, 400)
  assert.equal((await org.post(`${url}/password`, {})).statusCode, 400)
})

test('lock and unlock', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const locked = (await org.put(`/api/systemusers/${user.id}`, { account_locked: true })).json()
  assert.equal(locked.account_locked, true)
  assert.ok(locked.account_locked_date)
  assert.equal((await org.post(`/api/systemusers/${user.id}/unlock`)).statusCode, 200)
  const after = await read(org, user)
  assert.equal(after.account_locked, false)
  assert.equal(after.account_locked_date, null)
  assert.deepEqual(
    (await since(org, user)).slice(1).map(({ event_type }) => event_type),
    ['user_lockout', 'user_unlocked'],
  )
})

test('resetmfa removes the second factor and opens a window', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org, { password: STRONG, enable_user_portal_multifactor: true })
  await app.db.tx(org.organizationId, (tx) =>
    tx.run(sql`
      update users set totp_secret = ${app.sealer.seal('seed', `user ${user.id} totp`)}, totp_enrolled_at = now()
       where organization_id = ${org.organizationId} and id = ${user.id}`),
  )
  assert.equal((await read(org, user)).mfaEnrollment.totpStatus, 'ENROLLED')
  const info = await org.get(`/api/systemusers/${user.id}/totpinfo`)
  assert.ok(info.json().enrollmentDate)
  const url = `/api/systemusers/${user.id}/resetmfa`
  assert.equal((await org.post(url, { exclusion: true, exclusionDays: 0 })).statusCode, 400)
  const res = await org.post(url, { exclusion: true, exclusionDays: 3 })
  assert.equal(res.statusCode, 200)
  const after = await read(org, user)
  assert.equal(after.totp_enabled, false)
  assert.equal(after.mfa.configured, false)
  assert.equal(after.mfaEnrollment.overallStatus, 'IN_ENROLLMENT')
  assert.deepEqual(
    (await since(org, user)).map(({ event_type }) => event_type),
    ['systemuser_update', 'totp_delete_enrollment'],
  )
  const enforce = await org.post(`/api/systemusers/${user.id}/mfa/enforce`, {})
  assert.equal(enforce.statusCode, 200)
  assert.equal((await read(org, user)).mfaEnrollment.overallStatus, 'NOT_ENROLLED')
  const sync = await org.post(`/api/systemusers/${user.id}/mfasync`)
  assert.deepEqual([sync.statusCode, sync.body], [200, ''])
})

test('SSH keys: list, add, delete, and all at once by PUT', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const url = `/api/systemusers/${user.id}/sshkeys`
  const key = (letter: string) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5${letter.repeat(20)} mei@laptop`
  const added = await org.post(url, { name: 'laptop', public_key: key('a') })
  assert.equal(added.statusCode, 200)
  assert.deepEqual((await org.get(url)).json(), [added.json()])
  const again = await org.post(url, { name: 'again', public_key: key('a') })
  assert.deepEqual([again.statusCode, again.json().reason], [409, 'ssh_key_exists'])
  for (const body of [{ name: 'x' }, { public_key: key('b') }, { name: 'x', public_key: 'no key' }])
    assert.equal((await org.post(url, body)).statusCode, 400)
  const put = await org.put(`/api/systemusers/${user.id}`, {
    ssh_keys: [
      { name: 'renamed', public_key: key('a') },
      { name: 'desk', public_key: key('b') },
    ],
  })
  const [kept, fresh] = put.json().ssh_keys
  assert.equal(kept.id, added.json().id)
  assert.equal(kept.name, 'renamed')
  const gone = await org.delete(`${url}/${fresh.id}`)
  assert.equal(gone.statusCode, 200)
  assert.equal(typeof gone.json(), 'string')
  assert.equal((await org.delete(`${url}/${fresh.id}`)).statusCode, 404)
  assert.equal((await read(org, user)).ssh_keys.length, 1)
  const fields = (await since(org, user))
    .slice(1)
    .map(({ changes }) => (changes as { field: string }[]).map(({ field }) => field).join())
  assert.deepEqual(fields, ['ssh_keys', 'ssh_keys', 'ssh_keys'])
})

test('every route refuses callers without the scope, and hides users of other organizations', async () => {
  const [org, stranger] = [await app.newOrganization(), await app.newOrganization()]
  const user = await addUser(org, { state: 'STAGED' })
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const actions: [string, object | undefined][] = [
    ['state/activate', {}],
    ['state/suspend', undefined],
    ['expire', undefined],
    ['unlock', undefined],
    ['password', { password: STRONG }],
    ['resetmfa', {}],
    ['mfa/enforce', {}],
    ['mfasync', undefined],
    ['reactivate', undefined],
    ['sshkeys', { name: 'x', public_key: 'ssh-rsa AAAA' }],
  ]
  for (const [action, body] of actions) {
    const url = `/api/systemusers/${user.id}/${action}`
    assert.equal((await stranger.post(url, body)).statusCode, 404, action)
    assert.equal((await reader.post(url, body)).statusCode, 403, action)
  }
  for (const path of ['sshkeys', 'totpinfo']) {
    const url = `/api/systemusers/${user.id}/${path}`
    assert.equal((await stranger.get(url)).statusCode, 404, path)
    assert.equal((await reader.get(url)).statusCode, 200, path)
  }
  const keyUrl = `/api/systemusers/${user.id}/sshkeys/${newId()}`
  assert.equal((await stranger.delete(keyUrl)).statusCode, 404)
  assert.equal((await reader.delete(keyUrl)).statusCode, 403)
  assert.deepEqual(await read(org, user), user)
})
