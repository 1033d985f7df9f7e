import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { newId } from '../platform/ids.ts'
import { addNode, deleteNode, type NodeType } from './index.ts'
import { forgetHistory } from './jobs.ts'

const app = await startApp()
type Organization = Awaited<ReturnType<typeof app.newOrganization>>
const EVENT = '0190a000-0000-7000-8000-000000000000'
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)

async function node({ organizationId }: Organization, type: NodeType) {
  const id = newId()
  await app.db.tx(organizationId, (tx) => addNode(tx, organizationId, type, id))
  return id
}

/** A user who could reach an application once; the user is deleted by now. */
async function pastAccess(org: Organization) {
  const [user, application] = [await node(org, 'user'), await node(org, 'application')]
  const change = (op: string) =>
    org.post(`/api/v2/users/${user}/associations`, { op, type: 'application', id: application })
  assert.equal((await change('add')).statusCode, 204)
  const url = `/api/v2/access/explain?user=${user}&application=${application}`
  const { since } = (await org.get(url)).json().paths[0][0]
  assert.equal((await change('remove')).statusCode, 204)
  const { organizationId } = org
  await app.db.tx(organizationId, (tx) => deleteNode(tx, organizationId, 'user', user, EVENT))
  return () => org.get(`${url}&at=${encodeURIComponent(since)}`)
}

test('history of the graph is kept as long as events are, then deleted', async () => {
  const [org, longer] = [await app.newOrganization(), await app.newOrganization()]
  const [past, longPast] = [await pastAccess(org), await pastAccess(longer)]
  await longer.put('/insights/directory/v1/retention', { days: 400 })
  await forgetHistory(app.db, org.organizationId, inDays(89))
  assert.equal((await past()).json().allowed, true)
  for (const { organizationId } of [org, longer])
    await forgetHistory(app.db, organizationId, inDays(91), 1)
  assert.equal((await past()).statusCode, 404)
  assert.equal((await longPast()).json().allowed, true)
  await forgetHistory(app.db, longer.organizationId, inDays(401))
  assert.equal((await longPast()).statusCode, 404)
})

test('with a short retention, history still covers the time in which records can be restored', async () => {
  const org = await app.newOrganization()
  await org.put('/insights/directory/v1/retention', { days: 7 })
  const past = await pastAccess(org)
  await forgetHistory(app.db, org.organizationId, inDays(59))
  assert.equal((await past()).json().allowed, true)
  await forgetHistory(app.db, org.organizationId, inDays(61))
  assert.equal((await past()).statusCode, 404)
})

test('current edges stay, however old', async () => {
  const org = await app.newOrganization()
  const [user, application] = [await node(org, 'user'), await node(org, 'application')]
  await org.post(`/api/v2/users/${user}/associations`, {
    op: 'add',
    type: 'application',
    id: application,
  })
  await forgetHistory(app.db, org.organizationId, inDays(4000))
  const reachable = await org.get(`/api/v2/users/${user}/applications`)
  assert.equal(reachable.headers['x-total-count'], '1')
})
