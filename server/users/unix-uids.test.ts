import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { claimUnixIds } from './store.ts'
import { UnixUids } from './unix-uids.ts'

const app = await startApp()
type Organization = Awaited<ReturnType<typeof app.newOrganization>>

let people = 0
async function addUser(org: Organization, body: object = {}) {
  const username = `person${++people}`
  const email = `${username}@example.com`
  const res = await org.post('/api/systemusers', { username, email, ...body })
  assert.equal(res.statusCode, 200, res.body)
  return res.json() as { _id: string; unix_uid: number; unix_guid: number }
}
const numbers = ({ unix_uid, unix_guid }: { unix_uid: number; unix_guid: number }) => [
  unix_uid,
  unix_guid,
]

test('uids of one process are consecutive; those of two processes never collide', async () => {
  const { organizationId } = await app.newOrganization()
  const [one, other] = [new UnixUids(), new UnixUids()]
  assert.equal(await one.take(app.db, organizationId), 5001)
  assert.equal(await one.take(app.db, organizationId), 5002)
  const many = await Promise.all(
    Array.from({ length: 60 }, (_, at) => (at % 2 ? one : other).take(app.db, organizationId)),
  )
  assert.equal(new Set([5001, 5002, ...many]).size, 62)
})

test('a block skips uids that were set explicitly before', async () => {
  const org = await app.newOrganization()
  await addUser(org, { unix_uid: 5002, unix_guid: 5004 })
  const other = await addUser(org, { unix_uid: 6000, unix_guid: 100 })
  await org.put(`/api/systemusers/${other._id}`, { unix_uid: 5001 })
  const given = [await addUser(org), await addUser(org), await addUser(org)]
  assert.deepEqual(given.map(numbers), [
    [5003, 5003],
    [5005, 5005],
    [5006, 5006],
  ])
})

test('a uid set explicitly from a block that a process holds is not assigned', async () => {
  const org = await app.newOrganization()
  const first = await addUser(org)
  assert.deepEqual(numbers(first), [5001, 5001])
  await addUser(org, { unix_uid: 5002 })
  await org.put(`/api/systemusers/${first._id}`, { unix_guid: 5003 })
  assert.deepEqual(numbers(await addUser(org)), [5004, 5004])
  // A shared gid is used as requested, and does not reserve a uid.
  assert.deepEqual(numbers(await addUser(org, { unix_guid: 100 })), [5005, 100])
  // A uid is not reused after its user changes it: files on systems still have it.
  const { _id } = await addUser(org, { unix_uid: 5006 })
  await org.put(`/api/systemusers/${_id}`, { unix_uid: 7000 })
  assert.deepEqual(numbers(await addUser(org)), [5007, 5007])
})

test('a bulk job assigns no uid that was set explicitly', async () => {
  const org = await app.newOrganization()
  await addUser(org)
  await addUser(org, { unix_uid: 5002 })
  const res = await org.post('/api/v2/bulk/users', [
    { username: 'bulk1', email: 'bulk1@example.com' },
    { username: 'bulk2', email: 'bulk2@example.com' },
  ])
  assert.equal(res.statusCode, 201, res.body)
  await app.runDueJobs()
  const users = (
    await org.get('/api/systemusers?filter=creationSource:$eq:gatehouse:bulk&sort=username')
  ).json()
  assert.deepEqual(users.results.map(numbers), [
    [5003, 5003],
    [5004, 5004],
  ])
})

test('a user whose uid had to be replaced is created once, and joins groups once', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const filters = [{ field: 'department', operator: 'eq', value: 'Sales' }]
  const group = await org.post('/api/v2/usergroups', {
    name: 'Sales',
    membershipMethod: 'DYNAMIC_AUTOMATED',
    memberQuery: { queryType: 'FilterQuery', filters },
  })
  await addUser(org)
  const taken = [5002, 5003, 5004, 5006, 5007]
  await app.db.tx(organizationId, (tx) => claimUnixIds(tx, organizationId, taken))
  const before = (await org.eventTypes()).length
  const made = await Promise.all([
    addUser(org, { department: 'Sales' }),
    addUser(org, { department: 'Sales' }),
  ])
  assert.deepEqual(made.map(({ unix_uid }) => unix_uid).sort(), [5005, 5008])
  const members = await org.get(`/api/v2/usergroups/${group.json().id}/members`)
  assert.equal(members.json().length, 2)
  const recorded = (await org.eventTypes()).slice(before).sort()
  const each = ['association_change', 'systemuser_create', 'user_activation_email']
  assert.deepEqual(
    recorded,
    each.flatMap((type) => [type, type]),
  )
})

test('concurrent assigned and explicit uids: none is assigned twice, or after it was set', async () => {
  const org = await app.newOrganization()
  await addUser(org)
  const set = Array.from({ length: 20 }, (_, at) => 5003 + 2 * at)
  await Promise.all(set.map((unix_uid) => addUser(org, { unix_uid })))
  const made = await Promise.all([
    ...Array.from({ length: 40 }, () => addUser(org)),
    // Set while others are being assigned: a uid already assigned may be shared on purpose.
    ...Array.from({ length: 20 }, (_, at) => addUser(org, { unix_uid: 5050 + at })),
  ])
  const given = made.slice(0, 40).map(({ unix_uid }) => unix_uid)
  assert.equal(new Set(given).size, 40)
  assert.deepEqual(
    set.filter((unix_uid) => given.includes(unix_uid)),
    [],
  )
})

test('assigning a uid waits for a transaction that is setting it explicitly', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  await addUser(org)
  let creating: ReturnType<typeof addUser> | undefined
  await app.db.tx(organizationId, async (tx) => {
    await claimUnixIds(tx, organizationId, [5002])
    creating = addUser(org)
    // Wait until the other transaction blocks, so that it has read before this one commits.
    for (let waits = false; !waits; ) {
      const { rows } = await tx.execute(
        "select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
      )
      waits = rows.length > 0
    }
  })
  assert.deepEqual(numbers(await creating!), [5003, 5003])
})

test('a long range of explicit uids is skipped', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const range = Array.from({ length: 3000 }, (_, at) => 5001 + at)
  await app.db.tx(organizationId, (tx) => claimUnixIds(tx, organizationId, range))
  assert.deepEqual(numbers(await addUser(org)), [8001, 8001])
})
