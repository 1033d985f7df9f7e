import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'

const app = await startApp()
const org = await app.newOrganization()
await app.listen()
const { port } = app.http.server.address() as AddressInfo

/** Sends raw bytes and returns the whole response. */
async function send(...parts: string[]) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  for (const part of parts) socket.write(part)
  const answer = await text(socket)
  socket.destroy()
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body }
}

const FAMILIES: [path: string, members: string[]][] = [
  ['/api/systemusers/', ['status', 'code', 'error', 'message', 'reason']],
  ['/api/v2/users/', ['code', 'status', 'message', 'details', 'reason']],
  ['/insights/directory/v1/saved-searches/', ['message', 'reason']],
  ['/oauth2/token/', ['error', 'error_description', 'reason']],
]
const END = 'connection: close\r\n\r\n'

const BROKEN: [name: string, status: number, reason: string, request: (path: string) => string][] =
  [
    [
      'bad percent encoding',
      400,
      'bad_request',
      (path) => `GET ${path}%zz HTTP/1.1\r\nhost: x\r\n${END}`,
    ],
    [
      'half a character',
      400,
      'bad_request',
      (path) => `GET ${path}%e0%a4%a HTTP/1.1\r\nhost: x\r\n${END}`,
    ],
    ['no host', 400, 'host_missing', (path) => `GET ${path} HTTP/1.1\r\n${END}`],
    ['no version', 400, 'bad_request', (path) => `GET ${path} NONSENSE\r\n${END}`],
    [
      'a space in a name',
      400,
      'bad_request',
      (path) => `GET ${path} HTTP/1.1\r\nhost: x\r\nbad name: 1\r\n${END}`,
    ],
    [
      'an invalid content-length',
      400,
      'bad_request',
      (path) => `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n${END}`,
    ],
    [
      'two lengths',
      400,
      'bad_request',
      (path) =>
        `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n${END}`,
    ],
    [
      'an expectation',
      417,
      'expectation_failed',
      (path) => `GET ${path} HTTP/1.1\r\nhost: x\r\nexpect: the-unexpected\r\n${END}`,
    ],
    [
      'too many headers',
      431,
      'headers_too_large',
      (path) => `GET ${path} HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(300_000)}\r\n${END}`,
    ],
  ]

for (const [name, status, reason, request] of BROKEN)
  test(`${name} is ${status} in the error format of its API family`, async () => {
    for (const [path, members] of FAMILIES) {
      const res = await send(request(path))
      assert.equal(res.status, status, `${path}: ${res.body}`)
      assert.match(res.head, /content-type: application\/json; charset=utf-8/)
      assert.match(res.head, /x-content-type-options: nosniff/)
      assert.equal(JSON.parse(res.body).reason, reason)
      // If the headers come in several packets, only the last one may be known.
      if (status !== 431) assert.deepEqual(Object.keys(JSON.parse(res.body)), members, path)
      else assert.ok(JSON.parse(res.body).message ?? JSON.parse(res.body).error_description)
    }
  })

test('a path segment that is too long is 414 in the error format of its API family', async () => {
  const cases: [string, string[]][] = [
    ['/api/systemusers/', ['status', 'code', 'error', 'message', 'reason']],
    ['/api/v2/usergroups/', ['code', 'status', 'message', 'details', 'reason']],
    ['/insights/directory/v1/forwarders/', ['message', 'reason']],
  ]
  for (const [path, members] of cases) {
    const res = await org.get(path + 'x'.repeat(257))
    assert.equal(res.statusCode, 414, res.body)
    assert.deepEqual(Object.keys(res.json()), members)
    assert.equal(res.json().reason, 'path_too_long')
    assert.match(String(res.headers['content-type']), /^application\/json/)
    assert.ok(res.headers['x-request-id'])
  }
})

test('an invalid chunk ends the request, not the service', async () => {
  const start = `POST /api/v2/roles HTTP/1.1\r\nhost: x\r\nx-api-key: ${org.apiKey}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
  const res = await send(start, 'zz\r\n')
  assert.ok([0, 400].includes(res.status || 0), res.head)
  assert.equal((await org.get('/api/v2/roles')).statusCode, 200)
})

test('HTTP/1.0 needs no host', async () => {
  const res = await send(`GET /healthz HTTP/1.0\r\n${END}`)
  assert.equal(res.status, 200)
})
