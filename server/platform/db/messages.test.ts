import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { newDatabase } from '../../../test/database.ts'
import { BinaryRows } from '../../insights/segments/binary-rows.ts'
import { newId } from '../ids.ts'
import { type Connection, openDb } from './index.ts'
import { sql } from './sql.ts'

// Whatever the server, or a proxy before it, sends at whatever moment: a request fails, never the process.

const { service } = await newDatabase()

/** Where PostgreSQL listens. */
function addressOf({
  connectionString,
  host,
  port,
}: Connection): { path: string } | { port: number } {
  if (connectionString) return { port: Number(new URL(connectionString).port) }
  return { path: `${host}/.s.PGSQL.${port ?? 5432}` }
}

/** Before PostgreSQL; `inject` sends bytes to all clients as if they were PostgreSQL's. */
async function startProxy() {
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(addressOf(service) as { port: number })
    clients.add(client)
    for (const socket of [client, upstream])
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy()
          upstream.destroy()
          clients.delete(client)
        })
    client.pipe(upstream).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  const inject = (bytes: Buffer) => {
    for (const client of clients) client.write(bytes)
  }
  return { port, inject }
}

function message(type: string, body = ''): Buffer {
  const bytes = Buffer.from(body, 'latin1')
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

const INJECTED: [string, Buffer][] = [
  ['CopyData', message('d', 'bytes')],
  ['CopyOutResponse', message('H', '\x01\0\x01\0\x01')],
  ['CopyInResponse', message('G', '\0\0\0')],
  ['CopyDone', message('c')],
  ['NoticeResponse', message('N', 'SWARNING\0C01000\0Mlook out\0\0')],
  ['ParameterStatus', message('S', 'TimeZone\0UTC\0')],
  ['NotificationResponse', message('A', '\0\0\0\x01channel\0payload\0')],
  ['ReadyForQuery', message('Z', 'I')],
  ['RowDescription', message('T', '\0\0')],
  ['DataRow', message('D', '\0\x01\0\0\0\x01x')],
  ['CommandComplete', message('C', 'SELECT 1\0')],
  ['EmptyQueryResponse', message('I')],
  ['PortalSuspended', message('s')],
  ['ErrorResponse', message('E', 'SERROR\0C57014\0Mcanceled\0\0')],
  ['an unknown message', message('?', 'what')],
]

for (const [name, bytes] of INJECTED)
  test(`${name} out of turn fails what is asked at that moment, and nothing else`, async (t) => {
    const proxy = await startProxy()
    const { connectionString, ...rest } = service
    const login = connectionString ? new URL(connectionString) : null
    const db = openDb(
      login
        ? {
            ...rest,
            user: login.username,
            password: login.password,
            database: login.pathname.slice(1),
            host: '127.0.0.1',
            port: proxy.port,
          }
        : { ...rest, host: '127.0.0.1', port: proxy.port },
      { max: 2 },
    )
    t.after(() => db.close())
    const tenant = db.tenant(newId())
    const ask = () =>
      Promise.allSettled([
        db.find(sql`select 1 as one`),
        tenant.many(sql`select 1 as one`),
        db.tx(newId(), (tx) => tx.many(sql`select 1 as one`)),
        tenant.copyOut(sql`select n::text from generate_series(1, 1000) n`, new BinaryRows()),
      ])
    for (const answer of await ask()) assert.equal(answer.status, 'fulfilled')
    proxy.inject(bytes)
    const asked = ask()
    proxy.inject(bytes)
    await asked
    // Broken connections are replaced; a working one was not harmed.
    let answers = await ask()
    for (let tries = 0; tries < 5 && answers.some(({ status }) => status === 'rejected'); tries++)
      answers = await ask()
    for (const answer of answers)
      assert.equal(answer.status, 'fulfilled', String((answer as PromiseRejectedResult).reason))
  })
