import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { addNode } from './index.ts'

const app = await startApp()
type Organization = Awaited<ReturnType<typeof app.newOrganization>>

/** A user bound to a system, and what is said about that. */
async function bound(org: Organization, body: object = {}) {
  const username = `user-${newId()}`
  const email = `${username}@example.com`
  const made = await org.post('/api/systemusers', { username, email, ...body })
  assert.equal(made.statusCode, 200, made.body)
  const user = made.json()._id as string
  const { organizationId } = org
  const system = newId()
  await app.db.tx(organizationId, (tx) => addNode(tx, organizationId, 'system', system))
  const add = { op: 'add', type: 'system', id: system }
  assert.equal((await org.post(`/api/v2/users/${user}/associations`, add)).statusCode, 204)
  const explain = async (at?: string) => {
    const when = at === undefined ? '' : `&at=${encodeURIComponent(at)}`
    const res = await org.get(`/api/v2/access/explain?user=${user}&system=${system}${when}`)
    assert.equal(res.statusCode, 200, res.body)
    return res.json()
  }
  const change = async (body: object) => {
    const res = await org.put(`/api/systemusers/${user}`, body)
    assert.equal(res.statusCode, 200, res.body)
  }
  return { user, system, explain, change }
}

const verdict = ({ allowed, reason, userState, paths }: Record<string, unknown[]>) => [
  allowed,
  reason,
  userState,
  paths!.length,
]

test('users who are not active, or are locked, have no access, but their paths are shown', async () => {
  const org = await app.newOrganization()
  const { explain, change } = await bound(org, { state: 'STAGED' })
  assert.deepEqual(verdict(await explain()), [false, 'user_staged', 'STAGED', 1])
  await change({ state: 'ACTIVATED' })
  assert.deepEqual(verdict(await explain()), [true, null, 'ACTIVATED', 1])
  await change({ account_locked: true })
  assert.deepEqual(verdict(await explain()), [false, 'user_locked', 'ACTIVATED', 1])
  await change({ suspended: true })
  assert.deepEqual(verdict(await explain()), [false, 'user_suspended', 'SUSPENDED', 1])
  await change({ suspended: false, account_locked: false })
  assert.deepEqual(verdict(await explain()), [true, null, 'ACTIVATED', 1])
})

test('without a path, the reason is no_path, whatever the state of the user', async () => {
  const org = await app.newOrganization()
  const { user, system, explain } = await bound(org, { state: 'SUSPENDED' })
  const remove = { op: 'remove', type: 'system', id: system }
  await org.post(`/api/v2/users/${user}/associations`, remove)
  assert.deepEqual(verdict(await explain()), [false, 'no_path', 'SUSPENDED', 0])
})

test('an expired lock does not deny access', async () => {
  const org = await app.newOrganization()
  const { user, explain } = await bound(org)
  await org.put(`/api/organizations/${org.organizationId}`, {
    settings: {
      passwordPolicy: {
        enableMaxLoginAttempts: true,
        maxLoginAttempts: 3,
        enableLockoutTimeInSeconds: true,
        lockoutTimeInSeconds: 600,
      },
    },
  })
  const lockedSince = (date: Date) =>
    app.db.tx(org.organizationId, (tx) =>
      tx.run(sql`
        update users set account_locked = true, account_locked_date = ${date}, bad_login_attempts = 3
         where id = ${user}`),
    )
  await lockedSince(new Date())
  assert.equal((await explain()).reason, 'user_locked')
  await lockedSince(new Date(Date.now() - 3_600_000))
  assert.equal((await explain()).reason, null)
})

test('the state at a past instant is the one before the next change', async () => {
  const org = await app.newOrganization()
  await org.put('/insights/directory/v1/retention', { days: 3650 })
  const { user, explain, change } = await bound(org, { state: 'STAGED' })
  const instants: string[] = []
  const note = async () => instants.push((await explain()).at)
  await note()
  await change({ state: 'ACTIVATED' })
  await note()
  await change({ firstname: 'Ann' })
  await change({ suspended: true })
  await note()
  await change({ suspended: false })
  await note()
  await org.delete(`/api/systemusers/${user}`)
  const before = verdict(await explain('2020-01-01T00:00:00Z'))
  assert.deepEqual(before, [false, 'no_path', undefined, 0], 'nobody was there yet')
  const told = []
  for (const at of instants) told.push(verdict(await explain(at)))
  assert.deepEqual(told, [
    [false, 'user_staged', 'STAGED', 1],
    [true, null, 'ACTIVATED', 1],
    [false, 'user_suspended', 'SUSPENDED', 1],
    [true, null, 'ACTIVATED', 1],
  ])
  assert.deepEqual(verdict(await explain()), [false, 'no_path', undefined, 0])
})

test('the state is left out when its events are no longer kept', async () => {
  const org = await app.newOrganization()
  const { explain, change } = await bound(org, { suspended: true })
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  await app.db.tx(org.organizationId, async (tx) => {
    await tx.run(sql`update edges set valid_from = ${daysAgo(200)}`)
    await tx.run(sql`update users set created = ${daysAgo(200)}`)
  })
  assert.deepEqual(verdict(await explain(daysAgo(89))), [false, 'user_suspended', 'SUSPENDED', 1])
  assert.deepEqual(verdict(await explain(daysAgo(91))), [true, null, undefined, 1])
  await change({ suspended: false })
  assert.deepEqual(verdict(await explain(daysAgo(89))), [false, 'user_suspended', 'SUSPENDED', 1])
})

test('nobody has access to an inactive application; at a past instant its state is unknown', async () => {
  const org = await app.newOrganization()
  const { user } = await bound(org)
  const made = await org.post('/api/applications', {
    name: 'saml2',
    displayLabel: 'Wiki',
    displayName: 'Wiki',
    ssoUrl: newId(),
    active: true,
    config: { acsUrl: { value: 'https://wiki.example.com/acs' } },
  })
  assert.equal(made.statusCode, 200, made.body)
  const { _id, id, ...record } = made.json()
  const add = { op: 'add', type: 'application', id }
  assert.equal((await org.post(`/api/v2/users/${user}/associations`, add)).statusCode, 204)
  const explain = async (at = '') =>
    (await org.get(`/api/v2/access/explain?user=${user}&application=${id}${at}`)).json()
  const before = await explain()
  assert.deepEqual(verdict(before), [true, null, 'ACTIVATED', 1])
  const put = await org.put(`/api/applications/${id}`, { ...record, active: false })
  assert.equal(put.statusCode, 200, put.body)
  assert.deepEqual(verdict(await explain()), [false, 'application_inactive', 'ACTIVATED', 1])
  const then = await explain(`&at=${encodeURIComponent(before.at)}`)
  assert.deepEqual(verdict(then), [true, null, 'ACTIVATED', 1])
})
