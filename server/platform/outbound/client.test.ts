import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { tempDirectory } from '../../../test/database.ts'
import { loadConfig } from '../config.ts'
import { Allowlist } from './allowlist.ts'
import { Outbound, type OutboundRequest } from './client.ts'
import type { Resolve } from './destination.ts'
import { OutboundError, type OutboundProblem } from './errors.ts'
import { Transport } from './transport.ts'

const directory = tempDirectory()
const [keyFile, certificateFile] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
execFileSync(
  'openssl',
  // biome-ignore format: one option a line would hide the command
  ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-keyout', keyFile, '-out', certificateFile, '-subj', '/CN=siem.test',
    '-addext', 'subjectAltName=DNS:siem.test,DNS:localhost,IP:127.0.0.1'],
  { stdio: 'ignore' },
)
const key = readFileSync(keyFile)
const cert = readFileSync(certificateFile, 'utf8')

async function listening<T extends Server>(server: T, t: TestContext): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
const plain = (t: TestContext, answer: RequestListener) => listening(createServer(answer), t)
const tls = (t: TestContext, answer: RequestListener) =>
  listening(createTlsServer({ key, cert }, answer) as unknown as Server, t)

const here: Resolve = async () => [{ address: '127.0.0.1', family: 4 }]
const opened: Outbound[] = []
function client(allow: string[], options: { resolve?: Resolve; ca?: string } = {}) {
  const outbound = new Outbound({ allowlist: new Allowlist(allow), ...options })
  opened.push(outbound)
  return outbound
}
after(() => {
  for (const outbound of opened) outbound.close()
})
const loopback = client(['127.0.0.0/8', '::1'])
const trusting = client(['127.0.0.1'], { resolve: here, ca: cert })

async function fails(
  problem: OutboundProblem,
  words: RegExp,
  outbound: Outbound,
  url: string,
  request?: OutboundRequest,
) {
  await assert.rejects(outbound.request(url, request), (error) => {
    assert.ok(error instanceof OutboundError, String(error))
    assert.equal(error.problem, problem, error.message)
    assert.match(error.message, words)
    return true
  })
}

test('a request arrives unchanged, and so does the response', async (t) => {
  const port = await tls(t, async (request, response) => {
    const parts = await request.toArray()
    response.writeHead(418, { 'x-seen': String(request.headers['x-sent']) })
    response.end(`${request.method} ${request.url} ${request.headers.host} ${parts.join('')}`)
  })
  const answer = await trusting.request(`https://siem.test:${port}/in?a=1`, {
    method: 'POST',
    headers: { 'x-sent': 'yes' },
    body: 'hello',
  })
  assert.equal(answer.status, 418)
  assert.equal(answer.headers['x-seen'], 'yes')
  assert.equal(answer.body.toString(), `POST /in?a=1 siem.test:${port} hello`)
})

test('a certificate must be trusted and match the host', async (t) => {
  const port = await tls(t, (_, response) => void response.end())
  const untrusting = client(['127.0.0.1'], { resolve: here })
  await fails('tls', /DEPTH_ZERO_SELF_SIGNED_CERT/, untrusting, `https://siem.test:${port}`)
  await fails('tls', /ERR_TLS_CERT_ALTNAME_INVALID/, trusting, `https://other.test:${port}`)
  const plainPort = await plain(t, (_, response) => void response.end())
  await fails('tls', /No secure connection/, trusting, `https://siem.test:${plainPort}`)
  assert.equal((await trusting.request(`https://127.0.0.1:${port}`)).status, 200)
})

test('TLS before 1.2 is refused, and a Host header does not affect the certificate check', async (t) => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  const server = createTlsServer({ key, cert, ...old }, (_, response) => void response.end())
  const oldPort = await listening(server as unknown as Server, t)
  await fails('tls', /No secure connection/, trusting, `https://siem.test:${oldPort}`)
  const port = await tls(t, (request, response) => void response.end(request.headers.host))
  const named = { headers: { host: 'other.test' } }
  const answer = await trusting.request(`https://siem.test:${port}`, named)
  assert.equal(answer.body.toString(), 'other.test')
  await fails('tls', /ALTNAME/, trusting, `https://other.test:${port}`, {
    headers: { host: 'siem.test' },
  })
})

test('private addresses are refused in any notation', async () => {
  const nothing = client([])
  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '169.254.169.254',
    '0',
    '[fe80::1]',
  ]) {
    await fails('refused_address', /GATEHOUSE_OUTBOUND_ALLOW/, nothing, `https://${host}/`)
    await fails('refused_address', /GATEHOUSE_OUTBOUND_ALLOW/, nothing, `http://${host}/`)
  }
  await fails('refused_address', /localhost resolves to/, nothing, 'https://localhost/')
  await assert.rejects(nothing.check('https://127.0.0.1'), OutboundError)
})

test('a name with one private address is refused', async () => {
  const mixed: Resolve = async () => [
    { address: '93.184.215.14', family: 4 },
    { address: '::ffff:10.0.0.1', family: 6 },
  ]
  await fails('refused_address', /10\.0\.0\.1/, client([], { resolve: mixed }), 'https://a.test/')
})

test('DNS rebinding after the check has no effect', async (t) => {
  const port = await plain(t, (_, response) => void response.end('checked'))
  let asked = 0
  const rebinding: Resolve = async () => {
    asked++
    return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
  }
  const outbound = client(['127.0.0.1'], { resolve: rebinding })
  const answer = await outbound.request(`http://rebind.test:${port}/`)
  assert.equal(answer.body.toString(), 'checked')
  assert.equal(asked, 1)
  await fails('refused_address', /127\.0\.0\.2/, outbound, `http://rebind.test:${port}/`)
})

test('without a checked address no connection is made', async (t) => {
  const port = await plain(t, (_, response) => void response.end())
  const transport = new Transport(undefined)
  t.after(() => transport.close())
  const origin = `http://localhost:${port}`
  const sent = () => transport.shared.request({ origin, path: '/', method: 'GET' })
  await assert.rejects(sent(), /No address was checked/)
  const addresses = await here('localhost')
  const release = transport.pin({ url: new URL(origin), host: 'localhost', addresses })
  const { statusCode, body } = await sent()
  await body.dump()
  assert.equal(statusCode, 200)
  release()
  await assert.rejects(transport.fresh(origin).request({ path: '/', method: 'GET' }), /No address/)
})

test('plain HTTP is for allowlisted destinations only', async (t) => {
  const port = await plain(t, (_, response) => void response.end('plain'))
  assert.equal((await loopback.request(`http://127.0.0.1:${port}`)).body.toString(), 'plain')
  const named = client(['siem.test'], { resolve: here })
  assert.equal((await named.request(`http://siem.test:${port}`)).body.toString(), 'plain')
  const open: Resolve = async () => [{ address: '93.184.215.14', family: 4 }]
  const words = /http:\/\/ is not encrypted/
  await fails('bad_url', words, client([], { resolve: open }), 'http://a.test/')
})

test('an invalid URL is rejected immediately', async () => {
  for (const url of ['ftp://a.test', 'a.test', '', 'file:///etc/passwd'])
    await fails('bad_url', /https:\/\//, loopback, url)
  for (const url of ['https://user:secret@a.test', 'https://user@a.test'])
    await fails('bad_url', /user name or password/, loopback, url)
})

test('unknown hosts and closed ports are reported', async (t) => {
  const unknown: Resolve = async () => {
    throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
  }
  await fails(
    'unknown_host',
    /Unknown host a\.test/,
    client([], { resolve: unknown }),
    'https://a.test',
  )
  await fails(
    'unknown_host',
    /no address/,
    client([], { resolve: async () => [] }),
    'https://a.test',
  )
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  await fails('connection', /refused the connection/, loopback, `http://127.0.0.1:${port}`)
  const rude = createTcpServer((socket) => socket.end('What?\r\n\r\n')).listen(0, '127.0.0.1')
  await once(rude, 'listening')
  t.after(() => rude.close())
  const rudePort = (rude.address() as AddressInfo).port
  await fails('bad_answer', /valid HTTP response/, loopback, `http://127.0.0.1:${rudePort}`)
})

test('each phase of a request has a timeout', async (t) => {
  // Accepts connections but stays silent, so the TLS handshake never completes.
  const silent = createTcpServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const sockets = new Set<{ destroy(): void }>()
  silent.on('connection', (socket) => sockets.add(socket))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const silentPort = (silent.address() as AddressInfo).port
  await fails('timeout', /No connection/, trusting, `https://siem.test:${silentPort}`, {
    connectMs: 60,
  })
  await fails('timeout', /No response/, loopback, `http://127.0.0.1:${silentPort}`, {
    headersMs: 60,
  })
  const endless = await plain(t, (_, response) => {
    response.write('a')
  })
  await fails('timeout', /did not finish/, loopback, `http://127.0.0.1:${endless}`, { totalMs: 80 })
  const lost = client([], { resolve: () => new Promise(() => {}) })
  await fails('timeout', /not resolve/, lost, 'https://a.test', { connectMs: 30 })
  await fails('timeout', /did not finish/, lost, 'https://a.test', { totalMs: 30 })
})

test('a response is limited in size, with or without Content-Length', async (t) => {
  const port = await plain(t, (request, response) => {
    const body = 'x'.repeat(1000)
    if (request.url === '/declared') response.setHeader('content-length', body.length)
    else response.write('')
    response.end(body)
  })
  const at = (path: string) => `http://127.0.0.1:${port}${path}`
  for (const path of ['/declared', '/streamed']) {
    await fails('too_large', /larger than 999 bytes/, loopback, at(path), { maxBytes: 999 })
    const answer = await loopback.request(at(path), { maxBytes: 1000 })
    assert.equal(answer.body.length, 1000)
  }
})

test('redirects must stay on the host and encrypted', async (t) => {
  let other = 0
  const elsewhere = await plain(t, (_, response) => {
    other++
    response.end()
  })
  let to = ''
  let status = 302
  const answer: RequestListener = async (request, response) => {
    if (request.url === '/end') {
      const parts = await request.toArray()
      response.end(`${request.method} ${parts.join('')}`)
    } else response.writeHead(status, { location: to }).end()
  }
  const port = await tls(t, answer)
  const from = `https://siem.test:${port}/start`

  to = '/end'
  const followed = await trusting.request(from)
  assert.equal(followed.body.toString(), 'GET ')
  assert.equal(followed.url, `https://siem.test:${port}/end`)
  const post = { method: 'POST', body: 'kept' }
  for (status of [307, 308])
    assert.equal((await trusting.request(from, post)).body.toString(), 'POST kept')
  for (status of [301, 302, 303]) await fails('bad_redirect', /307 or 308/, trusting, from, post)

  const bad: [string, RegExp][] = [
    [`https://other.test:${port}/end`, /to other\.test/],
    [`https://siem.test:${elsewhere}/end`, /redirects to siem\.test/],
    [`http://siem.test:${port}/end`, /not encrypted/],
    [`https://a:b@siem.test:${port}/end`, /redirects/],
    ['https://127.0.0.1/', /redirects to 127/],
    ['file:///etc/passwd', /redirects to/],
    ['http://[', /invalid URL/],
    ['/start', /too many times/],
  ]
  for (const [location, words] of bad) {
    to = location
    await fails('bad_redirect', words, trusting, from)
  }
  assert.equal(other, 0)
})

test('connections are reused, and a closed one is replaced', async (t) => {
  const ports = new Set<number | undefined>()
  const server = createServer((request, response) => {
    ports.add(request.socket.remotePort)
    if (request.url === '/cut' && ports.size === 1) request.socket.destroy()
    else response.end('here')
  })
  const port = await listening(server, t)
  const outbound = client(['127.0.0.1'])
  const at = (path: string) => `http://127.0.0.1:${port}${path}`
  for (let call = 0; call < 3; call++) await outbound.request(at('/'))
  assert.equal(ports.size, 1)
  // The receiver dies midway: only repeatable requests are resent.
  await fails('connection', /closed the connection/, outbound, at('/cut'), { method: 'POST' })
  ports.clear()
  await outbound.request(at('/'))
  const again = await outbound.request(at('/cut'), { method: 'POST', repeatable: true })
  assert.equal(again.body.toString(), 'here')
})

test('a repeatable request is sent at most twice', async (t) => {
  let requests = 0
  const port = await plain(t, (request) => {
    requests++
    request.socket.destroy()
  })
  const once = { method: 'POST', body: 'a' }
  await fails('connection', /without a response/, loopback, `http://127.0.0.1:${port}`, once)
  assert.equal(requests, 1)
  const twice = { ...once, repeatable: true }
  await fails('connection', /without a response/, loopback, `http://127.0.0.1:${port}`, twice)
  assert.equal(requests, 3)
})

test('repeated headers form a list; of those that must not repeat, the first counts', async (t) => {
  const port = await plain(t, (_, response) => {
    response.setHeader('vary', ['accept', 'origin'])
    response.setHeader('set-cookie', 'a=1')
    response.setHeader('retry-after', ['1', '2'])
    response.end()
  })
  const { headers } = await loopback.request(`http://127.0.0.1:${port}`)
  assert.equal(headers.vary, 'accept, origin')
  assert.deepEqual(headers['set-cookie'], ['a=1'])
  assert.equal(headers['retry-after'], '1')
})

test('the setting is validated at start', () => {
  const { outboundAllow } = loadConfig({ GATEHOUSE_OUTBOUND_ALLOW: ' 10.0.0.0/8, siem.local ,' })
  assert.deepEqual(outboundAllow, ['10.0.0.0/8', 'siem.local'])
  assert.throws(
    () => loadConfig({ GATEHOUSE_OUTBOUND_ALLOW: '10.0.0.0/40' }),
    /GATEHOUSE_OUTBOUND_ALLOW must list networks/,
  )
})
