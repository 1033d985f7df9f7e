import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'

const app = await startApp()
const org = await app.newOrganization()

const FORM = 'application/x-www-form-urlencoded'
const OTHERS = [FORM, 'multipart/form-data; boundary=x', 'text/plain', 'application/octet-stream']

test('a body that is not JSON is 415 in the error format of its API family', async () => {
  const cases: [path: string, members: string[]][] = [
    ['/api/commands', ['status', 'code', 'error', 'message', 'reason']],
    ['/api/v2/roles', ['code', 'status', 'message', 'details', 'reason']],
    ['/insights/directory/v1/events', ['message', 'reason']],
    ['/auth/sign-in', ['code', 'status', 'message', 'details', 'reason']],
    ['/auth/users/sign-in', ['code', 'status', 'message', 'details', 'reason']],
  ]
  for (const [path, members] of cases)
    for (const type of OTHERS) {
      const res = await org.post(path, 'name=x', { 'content-type': type })
      assert.equal(res.statusCode, 415, `${path} ${type}: ${res.body}`)
      assert.equal(res.json().reason, 'unsupported_media_type')
      assert.deepEqual(Object.keys(res.json()), members, path)
    }
})

test('the content type of an empty body is ignored', async () => {
  const made = await org.post('/api/v2/roles', { name: 'Short-lived', scopes: ['users'] })
  for (const type of OTHERS)
    assert.equal((await org.get('/api/v2/roles', { 'content-type': type })).statusCode, 200, type)
  const gone = await app.http.inject({
    method: 'DELETE',
    url: `/api/v2/roles/${made.json().id}`,
    headers: { 'content-type': FORM, 'content-length': '0', 'x-api-key': org.apiKey },
  })
  assert.equal(gone.statusCode, 200, gone.body)
})
