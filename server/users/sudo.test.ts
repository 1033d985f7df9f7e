import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser, person } from '../../test/people.ts'
import { addNode } from '../graph/index.ts'
import { newId } from '../platform/ids.ts'

// `sudo` and `passwordless_sudo` of a user are root on the systems that the user is bound to.

const app = await startApp()

test('who helps people gives nobody sudo, one by one', async () => {
  const org = await app.newOrganization()
  const help = await app.addAdministrator(org.organizationId, 'Help Desk')
  for (const flags of [{ sudo: true }, { passwordless_sudo: true }, { sudo: 'true' }]) {
    const res = await help.post('/api/systemusers', person(flags))
    assert.equal(res.statusCode, 403, JSON.stringify(flags))
    assert.match(res.json().message, /systems\.sudo/)
  }
  const { id } = await addUser(help)
  const url = `/api/systemusers/${id}`
  assert.equal((await help.put(url, { sudo: true })).statusCode, 403)
  assert.equal((await help.put(url, { passwordless_sudo: true })).statusCode, 403)
  const manager = await app.addAdministrator(org.organizationId, 'Manager')
  assert.equal((await manager.put(url, { sudo: true })).statusCode, 200)
  // Unchanged it may come back with the rest of the record; it may be taken away, not widened.
  const whole = (await help.get(url)).json()
  assert.equal((await help.put(url, { ...whole, firstname: 'Ada' })).statusCode, 200)
  assert.equal((await help.put(url, { passwordless_sudo: true })).statusCode, 403)
  assert.equal((await help.put(url, { sudo: false })).json().sudo, false)
})

test('nor many at once', async () => {
  const org = await app.newOrganization()
  const help = await app.addAdministrator(org.organizationId, 'Help Desk')
  const plain = await addUser(org)
  const root = await addUser(org, { sudo: true })
  const started = [
    await help.post('/api/v2/bulk/users', [person({ sudo: true }), person()]),
    await help.patch('/api/v2/bulk/users', [
      { id: plain.id, passwordless_sudo: true },
      { id: root.id, sudo: true, firstname: 'Grace' },
    ]),
  ]
  await app.runDueJobs()
  const done: boolean[][] = []
  for (const res of started) {
    const { jobId } = res.json()
    const results = (await help.get(`/api/v2/bulk/users/${jobId}/results`)).json()
    done.push(results.map(({ meta }: { meta: { success: boolean } }) => meta.success))
  }
  assert.deepEqual(done, [
    [false, true],
    [false, true],
  ])
  assert.equal((await org.get(`/api/systemusers/${plain.id}`)).json().passwordless_sudo, false)
  assert.equal((await org.get(`/api/systemusers/${root.id}`)).json().firstname, 'Grace')
  await org.patch('/api/v2/bulk/users', [{ id: plain.id, sudo: true }])
  await app.runDueJobs()
  assert.equal((await org.get(`/api/systemusers/${plain.id}`)).json().sudo, true)
})

test('who helps people does not become somebody with sudo', async () => {
  const org = await app.newOrganization()
  const help = await app.addAdministrator(org.organizationId, 'Help Desk')
  const manager = await app.addAdministrator(org.organizationId, 'Manager')
  const system = newId()
  await app.db.tx(org.organizationId, (tx) => addNode(tx, org.organizationId, 'system', system))
  const attributes = { sudo: { enabled: true, withoutPassword: false } }
  const [flagged, bound, member] = [
    await addUser(org, { sudo: true }),
    await addUser(org),
    await addUser(org),
  ]
  const group = (await org.post('/api/v2/usergroups', { name: 'Roots', attributes })).json().id
  const made = [
    await org.post(`/api/v2/users/${bound.id}/associations`, {
      op: 'add',
      type: 'system',
      id: system,
      attributes,
    }),
    await org.post(`/api/v2/usergroups/${group}/members`, {
      op: 'add',
      type: 'user',
      id: member.id,
    }),
  ]
  for (const res of made) assert.equal(res.statusCode, 204, res.body)

  const PASSWORD = 'Tangled-Orchard-58'
  app.secrets.add(PASSWORD)
  const attempts = (who: typeof help, { id }: { id: string }) => [
    who.put(`/api/systemusers/${id}`, { password: PASSWORD }),
    who.put(`/api/systemusers/${id}`, { email: person().email }),
    who.post(`/api/systemusers/${id}/sshkeys`, {
      name: 'mine',
      public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLE',
    }),
  ]
  for (const user of [flagged, bound, member]) {
    for (const res of await Promise.all(attempts(help, user))) {
      assert.equal(res.statusCode, 403, res.body)
      assert.match(res.json().message, /systems\.sudo/)
    }
    const renamed = await help.put(`/api/systemusers/${user.id}`, { firstname: 'Ada' })
    assert.equal(renamed.statusCode, 200, 'the rest goes on')
  }
  const staged = await addUser(org, { state: 'STAGED', sudo: true })
  const activate = `/api/systemusers/${staged.id}/state/activate`
  const elsewhere = await help.post(activate, { email: person().email })
  assert.equal(elsewhere.statusCode, 403, 'nor has the link to a password mailed elsewhere')
  assert.equal((await help.post(activate)).statusCode, 200)
  for (const attempt of attempts(help, await addUser(org)))
    assert.equal((await attempt).statusCode, 200)
  for (const attempt of attempts(manager, member)) assert.equal((await attempt).statusCode, 200)
})
