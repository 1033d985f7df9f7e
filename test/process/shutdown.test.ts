import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { until } from '../until.ts'
import {
  API_KEY,
  isRunning,
  postgresPid,
  type Service,
  startService,
  usedDataDirectory,
} from './service.ts'

const dataDir = await usedDataDirectory()

/** A request that has got 100 Continue and whose body is not sent yet. */
async function openRequest({ port }: Service, body: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  // The server may abort it; the tests wait for 'close'.
  socket.on('error', () => {})
  socket.write(
    [
      'POST /api/v2/roles HTTP/1.1',
      'host: gatehouse',
      `x-api-key: ${API_KEY}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'expect: 100-continue',
      '',
      '',
    ].join('\r\n'),
  )
  const [answer] = await once(socket, 'data')
  assert.match(answer, /^HTTP\/1\.1 100 /)
  return socket
}

const refusesConnections = ({ port }: Service): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(false))
      .on('connect', () => socket.destroy())
      .on('error', () => resolve(true))
  })

async function assertStopped(service: Service, database: number): Promise<void> {
  assert.deepEqual(await service.exited, { code: 0, signal: null })
  assert.equal(postgresPid(dataDir), null, 'PostgreSQL removed its pid file')
  assert.ok(!isRunning(database), 'PostgreSQL has ended')
  assert.equal(service.output.stderr, '')
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} lets the request in flight finish, then stops everything`, async () => {
    const service = await startService({ GATEHOUSE_DATA_DIR: dataDir })
    const database = postgresPid(dataDir)!
    const body = JSON.stringify({ name: `Created during ${signal}`, scopes: ['users.readonly'] })
    const socket = await openRequest(service, body)

    service.child.kill(signal)
    await service.untilLine('stopping')
    await until('new connections are refused', () => refusesConnections(service))
    assert.ok(isRunning(database), 'the request still needs the database')
    socket.write(body)

    const [answer] = await once(socket, 'data')
    assert.match(answer, /^HTTP\/1\.1 200 /)
    await assertStopped(service, database)
  })
}

test('a request that never finishes is cut off after GATEHOUSE_SHUTDOWN_SECONDS', async () => {
  const service = await startService({
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_SHUTDOWN_SECONDS: '0.1',
  })
  const database = postgresPid(dataDir)!
  const socket = await openRequest(service, 'never sent')
  const closed = once(socket, 'close')

  service.child.kill('SIGTERM')

  await service.untilLine('shutdown timed out; closing connections with requests in flight')
  await closed
  await assertStopped(service, database)
})
