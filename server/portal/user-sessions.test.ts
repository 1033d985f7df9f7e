import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson, PASSWORD, Person } from '../../test/person.ts'

const app = await startApp()
app.secrets.add(PASSWORD)

test('an administrator sees where a user is signed in, and signs them out', async () => {
  const org = await app.newOrganization()
  const stranger = await app.newOrganization()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const user = await addPerson(org)
  const [one, two, three] = [
    await new Person(app.http).enter(user.username),
    await new Person(app.http).enter(user.username),
    await new Person(app.http).enter(user.username),
  ]
  const url = `/api/v2/users/${user.id}/sessions`
  const list = async (by: { get: typeof org.get } = reader) =>
    (await by.get(url)).json() as Record<string, unknown>[]
  const sessions = await list()
  assert.equal(sessions.length, 3)
  assert.deepEqual(Object.keys(sessions[0]!).sort(), [
    'browser',
    'clientIp',
    'created',
    'id',
    'methods',
    'seenAt',
    'system',
  ])
  for (const path of ['', `/${sessions[0]!.id}`]) {
    assert.equal((await reader.delete(url + path)).statusCode, 403)
    assert.equal((await stranger.delete(url + path)).statusCode, 404)
  }
  assert.equal((await stranger.get(url)).statusCode, 404)
  const missing = await org.delete(`${url}/${user.id}`)
  assert.deepEqual([missing.statusCode, missing.json().reason], [404, 'session_not_found'])

  // The newest is first.
  const before = (await org.eventTypes()).length
  assert.equal((await org.delete(`${url}/${sessions[0]!.id}`)).statusCode, 204)
  assert.equal((await three.get('/security')).statusCode, 401)
  assert.equal((await one.get('/security')).statusCode, 200)
  assert.equal((await org.delete(url)).statusCode, 204)
  assert.equal((await org.delete(url)).statusCode, 204)
  for (const person of [one, two]) assert.equal((await person.get('/security')).statusCode, 401)
  assert.deepEqual(await list(), [])
  assert.deepEqual((await org.eventTypes()).slice(before), ['user_session_end', 'user_session_end'])
})
