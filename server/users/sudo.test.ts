import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser, person } from '../../test/people.ts'

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
