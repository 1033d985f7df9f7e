import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from '../server/platform/db/sql.ts'
import { startApp } from '../test/harness.ts'

const app = await startApp()
const url = await app.listen()

function startTail(apiKey: string, args: string[] = [], base = url) {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const words = ['events', 'tail', '--url', base, '--key', apiKey, ...args]
  const child = spawn(process.execPath, [main, ...words])
  after(() => child.kill('SIGKILL'))
  const ended = once(child, 'close').then(([code]) => code as number)
  const linesOf = (input: NodeJS.ReadableStream) =>
    createInterface({ input })[Symbol.asyncIterator]()
  const [out, err] = [linesOf(child.stdout), linesOf(child.stderr)]
  return {
    child,
    ended,
    line: async () => String((await out.next()).value),
    note: async () => String((await err.next()).value),
  }
}

type Organization = Awaited<ReturnType<typeof app.newOrganization>>
let serial = 0
async function addRole(org: Organization): Promise<string> {
  const name = `role-${++serial}`
  const made = await org.post('/api/v2/roles', { name, scopes: ['users.readonly'] })
  assert.equal(made.statusCode, 200, made.body)
  return name
}

test('tail shows an action made elsewhere, and exits cleanly on Ctrl-C', async () => {
  const org = await app.newOrganization()
  const tail = startTail(org.apiKey)
  assert.match(await tail.note(), /^Waiting for events/)
  const name = await addRole(org)
  const [event] = (await org.events()) as [{ event_type: string; timestamp: string }]
  const line = await tail.line()
  assert.ok(line.startsWith(event.timestamp), line)
  for (const word of ['directory', event.event_type, name]) assert.ok(line.includes(word), line)
  assert.match(line, / yes$/)
  tail.child.kill('SIGINT')
  assert.equal(await tail.ended, 0)
})

test('tail --json prints documents, filtered by --since and --search', async () => {
  const org = await app.newOrganization()
  await addRole(org)
  const search = JSON.stringify({ and: [{ 'resource.type': 'role' }] })
  const tail = startTail(org.apiKey, ['--json', '--since', '1h', '--search', search])
  const [event] = await org.events()
  assert.deepEqual(JSON.parse(await tail.line()), event)
  tail.child.kill('SIGTERM')
  assert.equal(await tail.ended, 0)
})

test('a lost connection resumes without loss or duplicates', async () => {
  const org = await app.newOrganization()
  const sockets = new Set<Socket>()
  let open = true
  const proxy = createServer((near) => {
    if (!open) return void near.destroy()
    const far = connect((app.http.server.address() as AddressInfo).port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  after(() => proxy.close())

  const { port } = proxy.address() as AddressInfo
  const args = ['--json', '--field', 'resource.name']
  const tail = startTail(org.apiKey, args, `http://127.0.0.1:${port}`)
  const shown = async () => JSON.parse(await tail.line()).resource.name
  assert.match(await tail.note(), /^Waiting for events/)
  const first = await addRole(org)
  assert.equal(await shown(), first)

  open = false
  for (const socket of sockets) socket.destroy()
  assert.match(await tail.note(), /reconnecting$/)
  const missed = [await addRole(org), await addRole(org)]
  open = true
  assert.deepEqual([await shown(), await shown()], missed)
  const last = await addRole(org)
  assert.equal(await shown(), last)
  tail.child.kill('SIGINT')
  assert.equal(await tail.ended, 0)
})

test('a key that is refused ends tail, at once or later', async () => {
  const org = await app.newOrganization()
  const wrong = startTail('wrong')
  assert.match(await wrong.note(), /^gatehouse: The service responded 401/)
  assert.equal(await wrong.ended, 1)

  const second = await app.addAdministrator(org.organizationId)
  const tail = startTail(second.apiKey)
  assert.match(await tail.note(), /^Waiting for events/)
  await app.db.run(sql`update administrators set suspended = true where id = ${second.id}`)
  app.contexts.admins.cache.clear()
  await addRole(org)
  assert.match(await tail.note(), /reconnecting$/)
  assert.match(await tail.note(), /^gatehouse: The service responded 401/)
  assert.equal(await tail.ended, 1)
})
