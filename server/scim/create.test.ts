import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect, fails } from '../../test/scim/connect.ts'
import { page, type RawAnswer, startRawServer } from '../../test/scim/raw.ts'

const ada = { userName: 'ada', externalId: 'e1' }

/** Stores what is posted, if it keeps it, and responds to the POST as told. */
async function startProvider(t: TestContext, post: RawAnswer, keeps = true) {
  const stored: object[] = []
  const { url } = await startRawServer(t, (request) => {
    if (request.method === 'GET') return page(stored)
    if (keeps) stored.push({ ...request.body, id: '1' })
    return post(request)
  })
  return connect(t, url).client
}

test('a response without an id, or none at all, is settled by a search', async (t) => {
  for (const reply of [{}, { status: 201, body: ada }, { body: 'created' }, 'cut'] as const) {
    const client = await startProvider(t, () => reply)
    assert.equal((await client.create('User', ada)).id, '1')
    assert.deepEqual(
      client.chain.map(({ method, path }) => `${method} ${path}`),
      ['POST /Users', 'GET /Users'],
    )
  }
})

test('a POST that was lost before it arrived is tried again by the caller', async (t) => {
  const lost = await startProvider(t, () => 'cut', false)
  await assert.rejects(
    lost.create('User', ada),
    fails('transient', /create the user: .* closed the connection/),
  )
  assert.deepEqual(
    lost.chain.map(({ method, status }) => [method, status]),
    [
      ['POST', null],
      ['GET', 200],
      ['GET', 200],
    ],
  )
  const unnamed = await startProvider(t, () => ({ status: 201 }), false)
  await assert.rejects(
    unnamed.create('Group', { displayName: 'x' }),
    fails('transient', /returned no id/),
  )
})

test('an error is not settled by a search', async (t) => {
  for (const status of [400, 409, 500, 503]) {
    const client = await startProvider(t, () => ({ status }))
    await assert.rejects(client.create('User', ada))
    assert.equal(client.chain.length, 1)
  }
})
