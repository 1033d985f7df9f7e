import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addHolder } from '../../test/holder.ts'
import { newId } from '../platform/ids.ts'
import { addNode, type NodeType } from './index.ts'

// The way to bind users and systems that clients of 2019 know.

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>

async function node(org: Org, type: NodeType): Promise<string> {
  const id = newId()
  await app.db.tx(org.organizationId, (tx) => addNode(tx, org.organizationId, type, id))
  return id
}

const boundTo = async (org: Org, user: string): Promise<string[]> =>
  (await org.get(`/api/v2/users/${user}/associations?targets=system`))
    .json()
    .map(({ to }: { to: { id: string } }) => to.id)
    .sort()

test('a user is bound to systems and unbound, from either side, with the events of associations', async () => {
  const org = await app.newOrganization()
  const [user, first, second] = [
    await node(org, 'user'),
    await node(org, 'system'),
    await node(org, 'system'),
  ]
  const bound = await org.put(`/api/systemusers/${user}/systems`, { add: [first, second, first] })
  assert.deepEqual([bound.statusCode, bound.json()], [200, {}])
  assert.deepEqual(await boundTo(org, user), [first, second].sort())
  const unbound = await org.put(`/api/systems/${first}/systemusers`, { remove: [user] })
  assert.equal(unbound.statusCode, 200, unbound.body)
  assert.deepEqual(await boundTo(org, user), [second])
  const swapped = { add: [first], remove: [second] }
  assert.equal((await org.put(`/api/systemusers/${user}/systems`, swapped)).statusCode, 200)
  assert.deepEqual(await boundTo(org, user), [first])
  assert.equal((await org.put(`/api/systemusers/${user}/systems`)).statusCode, 200)
  const events = await org.events()
  assert.deepEqual(
    events
      .map(({ event_type, association }) => [event_type, (association as { op: string }).op])
      .sort(),
    ['add', 'add', 'add', 'remove', 'remove'].map((op) => ['association_change', op]),
  )
})

test('a refusal is that of associations, and changes nothing', async () => {
  const org = await app.newOrganization()
  const [user, system] = [await node(org, 'user'), await node(org, 'system')]
  const url = `/api/systemusers/${user}/systems`
  const cases: [string, object, number, string][] = [
    [url, { add: [system, newId()] }, 404, 'node_not_found'],
    [url, { add: [system], remove: [newId()] }, 404, 'node_not_found'],
    [url, { remove: [system] }, 404, 'edge_not_found'],
    [`/api/systemusers/${newId()}/systems`, {}, 404, 'node_not_found'],
    [`/api/systems/${newId()}/systemusers`, { add: [user] }, 404, 'node_not_found'],
    [url, { add: system }, 400, 'validation'],
  ]
  for (const [path, body, status, reason] of cases) {
    const res = await org.put(path, body)
    assert.deepEqual([res.statusCode, res.json().reason], [status, reason], JSON.stringify(body))
  }
  assert.deepEqual(await boundTo(org, user), [])
  assert.equal((await org.put(url, { add: [system] })).statusCode, 200)
  const again = await org.put(url, { add: [system] })
  assert.deepEqual([again.statusCode, again.json().reason], [409, 'edge_exists'])
  const stranger = await app.newOrganization()
  assert.equal((await stranger.put(url, { remove: [system] })).statusCode, 404)
  assert.deepEqual(await boundTo(org, user), [system])
})

test('it takes rights on both ends', async () => {
  const org = await app.newOrganization()
  const [user, system] = [await node(org, 'user'), await node(org, 'system')]
  const calls: [string, object][] = [
    [`/api/systemusers/${user}/systems`, { add: [system] }],
    [`/api/systems/${system}/systemusers`, { remove: [user] }],
  ]
  const holder = await addHolder(app, org, ['users'])
  for (const scopes of [['users'], ['systems'], ['users', 'systems.readonly']]) {
    await holder.give(scopes)
    for (const [url, body] of calls) {
      const res = await holder.put(url, body)
      assert.deepEqual([res.statusCode, res.json().reason], [403, 'scope_missing'], url)
    }
  }
  await holder.give(['users', 'systems'])
  for (const [url, body] of calls) assert.equal((await holder.put(url, body)).statusCode, 200)
})

test('sudo without withoutPassword asks for the password, on edges and in groups', async () => {
  const org = await app.newOrganization()
  const [user, system] = [await node(org, 'user'), await node(org, 'system')]
  const bind = { op: 'add', type: 'system', id: system, attributes: { sudo: { enabled: true } } }
  const url = `/api/v2/users/${user}/associations`
  assert.equal((await org.post(url, bind)).statusCode, 204)
  const [edge] = (await org.get(`${url}?targets=system`)).json()
  const sudo = { enabled: true, withoutPassword: false }
  assert.deepEqual(edge.attributes, { sudo })
  const attributes = { sudo: { enabled: true } }
  const group = await org.post('/api/v2/usergroups', { name: 'Admins', attributes })
  assert.equal(group.statusCode, 201, group.body)
  assert.deepEqual(group.json().attributes.sudo, sudo)
})
