import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect, fails } from '../../test/scim/connect.ts'
import { startRawServer } from '../../test/scim/raw.ts'

async function remove(t: TestContext, deletion: number, read = 404) {
  const { url } = await startRawServer(t, ({ method }) =>
    method === 'DELETE' ? { status: deletion } : { status: read, body: { id: '1' } },
  )
  const { client } = connect(t, url)
  await client.remove('User', '1')
  return client.chain.length
}

test('what is not there is removed', async (t) => {
  for (const status of [200, 202, 204, 404, 410]) assert.equal(await remove(t, status), 1)
})

test('an error of the provider is settled by reading', async (t) => {
  assert.equal(await remove(t, 500), 2)
  await assert.rejects(remove(t, 500, 200), fails('transient', /failed to delete the user \(500\)/))
  await assert.rejects(remove(t, 503), fails('transient', /503/))
  await assert.rejects(remove(t, 405), fails('rejected', /405/))
})

test('a web page does not confirm a removal', async (t) => {
  for (const status of [200, 404]) {
    const { url } = await startRawServer(t, () => ({ status, body: '<html>' }))
    await assert.rejects(
      connect(t, url).client.remove('User', '1'),
      fails('misconfigured', /base URL/),
    )
  }
})
