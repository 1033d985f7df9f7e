import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { loadConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { createServer } from './server.ts'

test('closing does not wait for a connection without a request, but for a response in progress', {
  timeout: 60_000,
}, async (t) => {
  const http = await createServer(loadConfig({}), createLog('silent'))
  const answer = Promise.withResolvers<string>()
  const asked = Promise.withResolvers<void>()
  http.get('/slow', { config: { public: true } }, () => {
    asked.resolve()
    return answer.promise
  })
  await http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = http.server.address() as AddressInfo
  // Browsers open one ahead of time.
  const arrived = once(http.server, 'connection')
  const silent = connect(port, '127.0.0.1')
  t.after(() => silent.destroy())
  await Promise.all([arrived, once(silent, 'connect')])
  const slow = fetch(`http://127.0.0.1:${port}/slow`, { headers: { connection: 'close' } })
  await asked.promise
  const closed = http.close()
  await once(silent, 'close')
  answer.resolve('whole')
  assert.equal(await (await slow).text(), 'whole')
  await closed
})
