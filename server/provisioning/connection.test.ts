import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser, connectLab, held, ok, startLab } from '../../test/provisioning/world.ts'
import { addApplication } from '../../test/sso/world.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
const lab = await startLab()

test('the secret is never shown, and kept only for the host it was given for', async () => {
  const { org, path, body } = await connectLab(app, lab)
  const shown = ok(await org.get(path))
  assert.ok(!shown.body.includes(lab.token))
  assert.deepEqual(shown.json().auth, { type: 'bearer' })
  assert.equal(shown.json().status, 'active')

  const { token: _, ...bearer } = body.auth as { type: string; token: string }
  ok(await org.put(path, { ...body, auth: bearer, dryRun: true }))
  const moved = await org.put(path, { ...body, auth: bearer, baseUrl: 'http://127.0.0.1:1/scim' })
  assert.equal(moved.json().reason, 'secret_required')
  const oauth = {
    type: 'oauth',
    tokenUrl: 'http://127.0.0.1:1/token',
    clientId: 'gatehouse',
  }
  assert.equal((await org.put(path, { ...body, auth: oauth })).json().reason, 'secret_required')

  const created = (await org.events()).find(({ event_type }) => event_type === 'integration_create')
  assert.ok(created)
  assert.ok(!JSON.stringify(created).includes(lab.token))
  assert.deepEqual(await app.lines.filter((line) => line.includes(lab.token)), [])
})

test('bad settings are refused with the field, and change nothing', async () => {
  const { org, path, body } = await connectLab(app, lab)
  const before = ok(await org.get(path)).json()
  const titleOnly = [{ target: 'title', value: { source: 'jobTitle' } }]
  const cases: [object, string, RegExp][] = [
    [{ baseUrl: 'ftp://example.com' }, 'validation', /baseUrl/],
    [{ baseUrl: 'http://10.0.0.1/scim' }, 'bad_url', /baseUrl/],
    [{ baseUrl: 'http://me:secret@127.0.0.1/scim' }, 'bad_url', /baseUrl/],
    [{ auth: { type: 'magic' } }, 'validation', /auth/],
    [{ auth: { type: 'header', name: 'Host', value: 'x' } }, 'bad_header', /auth\.name/],
    [{ mapping: titleOnly }, 'mapping_incomplete', /userName/],
    [{ mapping: [{ target: 'userName', value: { eval: '1' } }] }, 'bad_mapping', /mapping/],
    [{ deprovision: { action: 'delete_after' } }, 'bad_deprovision', /deprovision\.days/],
    [{ deprovision: { action: 'delete', days: 3 } }, 'bad_deprovision', /deprovision\.days/],
    [{ limits: { concurrency: 1000 } }, 'validation', /concurrency/],
    [{ unknown: 1 }, 'validation', /unknown|additional/],
  ]
  for (const [change, reason, words] of cases) {
    const res = await org.put(path, { ...body, ...change })
    assert.equal(res.statusCode, 400, res.body)
    assert.equal(res.json().reason, reason)
    assert.match(res.body, words)
  }
  assert.deepEqual(ok(await org.get(path)).json(), before)
})

test('another organization, a role without the scope, and unknown ids see nothing', async () => {
  const { org, path, body, id } = await connectLab(app, lab)
  const user = await addUser(org)
  const stranger = await app.newOrganization()
  const calls: ['get' | 'put' | 'post' | 'delete', string, object?][] = [
    ['get', path],
    ['put', path, body],
    ['post', `${path}/test`],
    ['post', `${path}/activate`],
    ['post', `${path}/deactivate`],
    ['get', `${path}/status`],
    ['get', `${path}/users`],
    ['get', `${path}/users/${user.id}`],
    ['post', `${path}/users/${user.id}/retry`],
    ['get', `${path}/groups`],
    ['post', `${path}/groups/${newId()}/retry`],
    ['get', `${path}/plan`],
    ['post', `${path}/plan/confirm`],
    ['post', `${path}/reconcile`, {}],
    ['post', `${path}/preview`, { userId: user.id }],
    ['delete', path],
  ]
  for (const [method, url, sent] of calls)
    assert.equal((await stranger[method](url, sent as never)).statusCode, 404, `${method} ${url}`)
  const everywhere = await stranger.get(`/api/v2/users/${user.id}/provisioning`)
  assert.equal(everywhere.statusCode, 404)
  assert.deepEqual(ok(await org.get(`/api/v2/users/${user.id}/provisioning`)).json(), [])

  const helpDesk = await app.addAdministrator(org.organizationId, 'Read Only')
  for (const [method, url, sent] of calls.filter(([method]) => method !== 'get'))
    if (!url.endsWith('/preview'))
      assert.equal((await helpDesk[method](url, sent as never)).statusCode, 403, url)

  const bare = await addApplication(org)
  const none = await org.get(`/api/v2/applications/${bare.id}/provisioning`)
  assert.equal(none.json().reason, 'provisioning_not_found')
  const unknown = await org.put(`/api/v2/applications/${newId()}/provisioning`, body)
  assert.equal(unknown.statusCode, 404)
  const never = await org.post(`/api/v2/applications/${id}/provisioning/users/${newId()}/retry`)
  assert.equal(never.json().reason, 'account_not_found')
})

test('the test of a connection reports each step, and leaves nothing behind', async () => {
  const own = await startLab()
  const { org, path, body } = await connectLab(app, own, { groups: { push: true } })
  const read = ok(await org.post(`${path}/test`)).json()
  assert.equal(read.ok, true)
  assert.equal(read.steps.length, 2)
  const written = ok(await org.post(`${path}/test?write=true`)).json()
  assert.equal(written.ok, true, JSON.stringify(written))
  assert.deepEqual(
    written.steps.map(({ ok }: { ok: boolean }) => ok),
    Array(9).fill(true),
  )
  assert.equal(own.store.users.size + own.store.groups.size, 0)
  ok(await org.put(path, { ...body, auth: { type: 'bearer', token: 'wrong-token' } }))
  const refused = ok(await org.post(`${path}/test`)).json()
  assert.equal(refused.ok, false)
  assert.match(refused.steps.at(-1).message, /401/)
})

test('a preview shows sources, results and what is missing', async () => {
  const { org, path } = await connectLab(app, lab)
  const user = await addUser(org, { firstname: 'Ada' })
  const { rows, resource } = ok(await org.post(`${path}/preview`, { userId: user.id })).json()
  const given = rows.find(({ target }: { target: string }) => target === 'name.givenName')
  assert.deepEqual(given.sources, [{ path: 'firstname', value: 'Ada' }])
  assert.equal(given.value, 'Ada')
  const title = rows.find(({ target }: { target: string }) => target === 'title')
  assert.equal(title.missing, true)
  assert.equal(resource.userName, user.username)
  const mapping = [{ target: 'userName', value: { upper: { source: 'username' } } }]
  const other = ok(await org.post(`${path}/preview`, { userId: user.id, mapping })).json()
  assert.equal(other.resource.userName, user.username.toUpperCase())
})

test('a plan tells who would be written, and a dry run writes nobody', async () => {
  const own = await startLab()
  const world = await connectLab(app, own, { dryRun: true })
  const { org, path } = world
  const [ada, bob] = [await addUser(org), await addUser(org, { state: 'STAGED' })]
  await world.bind('user', ada.id)
  await world.bind('user', bob.id)
  await app.runDueProvisioning()
  assert.deepEqual(held(own), {})
  const plan = ok(await org.get(`${path}/plan`)).json()
  assert.deepEqual(plan.users, {
    create: 1,
    update: 0,
    deactivate: 0,
    delete: 0,
    unchanged: 0,
    skipped: 1,
    incomplete: 0,
  })
  assert.equal(plan.results[0].userId, ada.id)
  assert.ok(plan.results[0].changes.includes('userName'))
  ok(await org.put(path, { ...world.body, dryRun: false }))
  await app.runDueProvisioning()
  assert.deepEqual(held(own), { [ada.username]: true })
  assert.equal(ok(await org.get(`${path}/plan`)).json().users.unchanged, 1)
})

test('a misconfigured connection stops, says why, and mails the administrators once', async () => {
  const own = await startLab()
  const world = await connectLab(app, own)
  const { org, path, body } = world
  const user = await addUser(org)
  ok(await org.put(path, { ...body, auth: { type: 'bearer', token: 'wrong-token' } }))
  await world.bind('user', user.id)
  await app.runDueProvisioning()
  await app.runDueProvisioning()
  const stopped = ok(await org.get(path)).json()
  assert.equal(stopped.status, 'stopped')
  assert.match(stopped.statusReason, /401/)
  const events = (await org.events()).filter(
    ({ event_type, success }) => event_type === 'integration_deactivate' && success === false,
  )
  assert.equal(events.length, 1)
  const mails = await app.db.many<{ subject: string }>(
    sql`select subject from mails where recipient = ${org.email}`,
  )
  assert.deepEqual(mails, [{ subject: 'Provisioning of Wiki has stopped' }])

  ok(await org.put(path, body))
  ok(await org.post(`${path}/activate`))
  await app.runDueProvisioning()
  assert.deepEqual(held(own), { [user.username]: true })
})

test('deactivated, nothing is written; activated again, it catches up', async () => {
  const own = await startLab()
  const world = await connectLab(app, own)
  const { org, path } = world
  ok(await org.post(`${path}/deactivate`))
  const user = await addUser(org)
  await world.bind('user', user.id)
  await app.runDueProvisioning()
  assert.deepEqual(held(own), {})
  const early = await org.post(`${path}/reconcile`, { mode: 'report' })
  assert.equal(early.json().reason, 'provisioning_inactive')
  ok(await org.post(`${path}/activate`))
  await app.runDueProvisioning()
  assert.deepEqual(held(own), { [user.username]: true })
  assert.deepEqual(
    (await org.eventTypes()).filter((type) => /^integration_(de)?activate$/.test(type)),
    ['integration_activate', 'integration_deactivate', 'integration_activate'],
  )
  ok(await org.delete(path), 204)
  assert.equal((await org.get(path)).statusCode, 404)
  assert.deepEqual(held(own), { [user.username]: true })
})
