import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser } from '../../test/people.ts'
import { openDb } from '../platform/db/index.ts'
import { identifier, join, sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { eraseOrganizationsJob } from './erase.ts'
import { eraseSome, ownedTables } from './erase-store.ts'

const app = await startApp({ alone: true })
const owner = openDb(app.owner, { max: 1 })
after(() => owner.close())

/** A provider with two organizations; one has some of everything that is easily made. */
async function world() {
  const msp = await app.newProvider()
  const url = `/api/v2/providers/${msp.providerId}/organizations`
  const { id, name } = (await msp.post(url, { name: `Doomed ${newId()}` })).json()
  const other = (await msp.post(url, { name: `Kept ${newId()}` })).json()
  const as = (organization: string) => ({ 'x-org-id': organization })
  for (const organization of [id, other.id]) {
    const org = {
      post: (path: string, body: object) => msp.post(path, body, as(organization)),
    }
    const user = await addUser(org)
    const group = (await org.post('/api/v2/usergroups', { name: 'Everybody' })).json()
    await org.post(`/api/v2/usergroups/${group.id}/members`, {
      op: 'add',
      type: 'user',
      id: user.id,
    })
    await org.post('/api/commands', { name: 'List', command: 'ls' })
    await org.post('/api/v2/bulk/users', [{ username: 'x', email: 'x@example.com' }])
  }
  const key = (await app.addAdministrator(id)).apiKey
  return { msp, url, id, name, other: other.id as string, key, as }
}

/** Tables that still hold a row of the organization, of those that the catalogue knows. */
async function tablesWith(id: string): Promise<string[]> {
  const found: string[] = []
  for (const { name, columns } of await ownedTables(owner)) {
    const owned = join(columns.map(identifier), ', ')
    const row = await owner.one(
      sql`select 1 as one from ${identifier(name)} where ${id} in (${owned}) limit 1`,
    )
    if (row) found.push(name)
  }
  return found
}

const longAgo = (id: string) =>
  owner.run(sql`update organizations set deleted_at = now() - interval '31 days' where id = ${id}`)
const runJob = async () => {
  await app.db.tx(null, (tx) => app.queue.send(tx, eraseOrganizationsJob, {}))
  await app.runDueJobs()
}

test('the service may delete from every table that holds rows of organizations', async () => {
  const tables = await ownedTables(owner)
  assert.ok(tables.length > 60, String(tables.length))
  for (const name of ['users', 'events', 'credentials', 'administrators', 'batch_rows'])
    assert.ok(
      tables.some((table) => table.name === name),
      name,
    )
  const rights = await owner.many<{ name: string }>(sql`
    select name from unnest(${tables.map(({ name }) => name)}::text[]) name
     where not has_table_privilege('gatehouse_service', name, 'delete')`)
  assert.deepEqual(rights, [])
})

test('deleting needs the name; then the organization is gone for everybody', async () => {
  const { msp, url, id, name, other, key, as } = await world()
  const wrong = await msp.delete(`${url}/${id}?name=${encodeURIComponent(name.toUpperCase())}`)
  assert.equal(wrong.statusCode, 400)
  assert.equal(wrong.json().reason, 'name_differs')
  assert.equal((await msp.delete(`${url}/${id}`)).statusCode, 400)
  const confirmed = `${url}/${id}?name=${encodeURIComponent(name)}`
  const reader = await app.addProviderAdministrator(msp.providerId, [id], 'Read Only')
  assert.equal((await reader.delete(confirmed)).statusCode, 403)
  const elsewhere = await app.newProvider()
  assert.equal((await elsewhere.delete(confirmed)).statusCode, 404)
  assert.equal((await app.as(key).get('/api/systemusers')).statusCode, 200)

  const res = await msp.delete(confirmed)
  assert.equal(res.statusCode, 200, res.body)
  assert.equal(res.json().id, id)
  assert.ok((await msp.eventTypes()).includes('organization_delete'))
  assert.equal((await app.as(key).get('/api/systemusers')).statusCode, 401)
  assert.equal((await msp.get('/api/systemusers', as(id))).statusCode, 404)
  assert.equal((await msp.get('/api/systemusers', as(other))).json().totalCount, 1)
  const listed = (await msp.get(url)).json().results.map((row: { id: string }) => row.id)
  assert.ok(!listed.includes(id) && listed.includes(other))
  assert.equal((await msp.delete(confirmed)).statusCode, 404)

  await runJob()
  assert.ok((await tablesWith(id)).includes('users'), 'kept for now')
  const restored = await msp.post(`${url}/${id}/restore`, {})
  assert.equal(restored.statusCode, 200, restored.body)
  assert.equal((await msp.get('/api/systemusers', as(id))).json().totalCount, 1)
  assert.equal((await app.as(key).get('/api/systemusers')).statusCode, 200)
})

test('after its time no table keeps a row, although a run was interrupted; others keep theirs', async () => {
  const { msp, url, id, name, other } = await world()
  const before = await tablesWith(other)
  assert.ok(before.length >= 8, before.join())
  await msp.delete(`${url}/${id}?name=${encodeURIComponent(name)}`)
  await longAgo(id)
  // An interrupted run.
  for (const table of (await ownedTables(owner)).slice(0, 20)) await eraseSome(app.db, id, table)
  assert.notDeepEqual(await tablesWith(id), [])
  await runJob()
  assert.deepEqual(await tablesWith(id), [])
  assert.equal(await owner.one(sql`select id from organizations where id = ${id}`), undefined)
  assert.deepEqual(await tablesWith(other), before)
  assert.ok((await msp.eventTypes()).includes('organization_erase'))
  assert.equal((await msp.post(`${url}/${id}/restore`, {})).statusCode, 404)
})
