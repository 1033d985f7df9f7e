import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addHolder } from '../../test/holder.ts'
import { addUser, connectLab, held, ok, startLab } from '../../test/provisioning/world.ts'

// A connection sends people's attributes to an address of whoever configures it.

const app = await startApp()

test('applications alone sends nobody’s attributes anywhere, and shows none', async () => {
  const lab = await startLab()
  const { org, path, body } = await connectLab(app, lab)
  const user = await addUser(org)
  ok(await org.post(`${path}/deactivate`))
  const calls: ['get' | 'post' | 'put', string, object?][] = [
    ['put', path, body],
    ['post', `${path}/activate`],
    ['post', `${path}/reconcile`, {}],
    ['get', `${path}/plan`],
    ['post', `${path}/preview`, { userId: user.id }],
  ]
  const thief = await addHolder(app, org, ['applications'])
  for (const [method, url, sent] of calls) {
    const res = await thief[method](url, sent as never)
    assert.deepEqual([res.statusCode, res.json().reason], [403, 'scope_missing'], url)
    assert.match(res.json().message, /users/)
  }
  const reader = await addHolder(app, org, ['applications', 'users.readonly'])
  ok(await reader.put(path, body))
  ok(await reader.get(`${path}/plan`))
  ok(await reader.post(`${path}/activate`))
  ok(await thief.post(`${path}/deactivate`))
})

test('pushed groups, and a mapping that reads them, take the right to read groups', async () => {
  const lab = await startLab()
  const { org, path, body } = await connectLab(app, lab)
  const user = await addUser(org)
  const mapping = [
    { target: 'userName', value: { source: 'username' } },
    { target: 'title', value: { groups: [{ group: 'Bosses', value: 'Boss' }] } },
  ]
  const reader = await addHolder(app, org, ['applications', 'users.readonly'])
  const refused = async (call: ReturnType<typeof reader.get>) => {
    const res = await call
    assert.deepEqual([res.statusCode, res.json().reason], [403, 'scope_missing'])
    assert.match(res.json().message, /groups/)
  }
  await refused(reader.put(path, { ...body, groups: { push: true } }))
  await refused(reader.put(path, { ...body, mapping }))
  await refused(reader.post(`${path}/preview`, { userId: user.id, mapping }))
  ok(await org.put(path, { ...body, groups: { push: true } }))
  await refused(reader.get(`${path}/plan`))
  await refused(reader.post(`${path}/reconcile`, {}))
  ok(await org.post(`${path}/deactivate`))
  await refused(reader.post(`${path}/activate`))
  await reader.give(['applications', 'users.readonly', 'groups.readonly'])
  ok(await reader.post(`${path}/activate`))
})

test('a connection stops once the one who set it up may not read users, until somebody else answers for it', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org, path, body } = world
  const helper = await addHolder(app, org, ['applications', 'users.readonly'])
  ok(await helper.put(path, { ...body, limits: { concurrency: 2 } }))
  const [first, second] = [await addUser(org), await addUser(org)]
  await world.bind('user', first.id)
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), { [first.username]: true })

  await helper.give(['applications'])
  await world.bind('user', second.id)
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), { [first.username]: true })
  const stopped = ok(await org.get(path)).json()
  assert.deepEqual([stopped.status, stopped.reason], ['stopped', 'rights_lost'])
  assert.match(stopped.statusReason, /users\.readonly/)
  assert.equal((await world.status()).reason, 'rights_lost')
  const told = (await org.events()).find(
    ({ event_type, success }) => event_type === 'integration_deactivate' && success === false,
  )!
  assert.match(told.error_message as string, /users\.readonly/)
  assert.equal((await helper.post(`${path}/activate`)).statusCode, 403)

  ok(await org.post(`${path}/activate`))
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), { [first.username]: true, [second.username]: true })
  assert.equal(ok(await org.get(path)).json().reason, null)
})

test('nor does it go on for an administrator who was suspended', async () => {
  const lab = await startLab()
  const world = await connectLab(app, lab)
  const { org, path, body } = world
  const helper = await addHolder(app, org, ['applications', 'users.readonly'])
  ok(await helper.put(path, { ...body, limits: { concurrency: 2 } }))
  ok(await org.put(`/api/users/${helper.id}`, { suspended: true }))
  await world.bind('user', (await addUser(org)).id)
  await app.runDueProvisioning()
  assert.deepEqual(held(lab), {})
  assert.equal(ok(await org.get(path)).json().reason, 'rights_lost')
})
