import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { loadConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { createServer } from './server.ts'

test('after the signal every response says Connection: close, and none is lost', async (t) => {
  const http = await createServer(loadConfig({}), createLog('silent'))
  const answer = Promise.withResolvers<string>()
  const asked = Promise.withResolvers<void>()
  const config = { public: true as const }
  http.get('/slow', { config }, () => {
    asked.resolve()
    return answer.promise
  })
  http.get('/plain', { config }, () => 'plain')
  // Written the way pages of events and files are.
  http.get('/raw', { config }, (_, reply) => void reply.hijack().raw.end('raw'))
  await http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = http.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const slowAgent = new Agent({ keepAlive: true })
  t.after(() => {
    agent.destroy()
    slowAgent.destroy()
    return http.close()
  })
  const get = async (path: string, by = agent) => {
    const sent = request({ host: '127.0.0.1', port, path, agent: by }).end()
    const [response]: [IncomingMessage] = (await once(sent, 'response')) as [IncomingMessage]
    return { body: await text(response), connection: response.headers.connection, sent }
  }

  for (const path of ['/plain', '/raw', '/plain'])
    assert.equal((await get(path)).connection, 'keep-alive', path)
  const slow = get('/slow', slowAgent)
  await asked.promise
  http.drain.begin()
  const first = await get('/plain')
  assert.equal(first.sent.reusedSocket, true, 'the kept-alive connection was not closed')
  assert.equal(first.connection, 'close')
  for (const path of ['/raw', '/no-such-path', '/plain']) {
    const { connection, sent } = await get(path)
    assert.deepEqual([connection, sent.reusedSocket], ['close', false], path)
  }
  answer.resolve('whole')
  const { body, connection } = await slow
  assert.deepEqual([body, connection], ['whole', 'close'], 'a response in progress says so, too')
})
