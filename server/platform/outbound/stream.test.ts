import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Allowlist } from './allowlist.ts'
import { Outbound, type OutboundRequest } from './client.ts'
import { OutboundError, type OutboundProblem } from './errors.ts'

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function client(t: TestContext, options: { concurrency?: number } = {}): Outbound {
  const outbound = new Outbound({ allowlist: new Allowlist(['127.0.0.1']), ...options })
  t.after(() => outbound.close())
  return outbound
}

const is = (problem: OutboundProblem, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof OutboundError, String(error))
  assert.equal(error.problem, problem, error.message)
  assert.match(error.message, words)
  return true
}

async function sizeOf(body: AsyncIterable<Buffer>): Promise<number> {
  let size = 0
  for await (const chunk of body) size += chunk.length
  return size
}

const CHUNK = Buffer.alloc(65_536, 'x')

/** Writes as fast as the peer reads, until it disconnects. */
async function pour(response: ServerResponse, chunks: number, onChunk = (_full: boolean) => {}) {
  const closed = once(response, 'close')
  for (let sent = 0; sent < chunks && !response.destroyed; sent++) {
    const full = !response.write(CHUNK)
    onChunk(full)
    if (full) await Promise.race([once(response, 'drain'), closed])
  }
  response.end()
}

test('a large response is read with back-pressure', async (t) => {
  const CHUNKS = 3200 // 200 MB
  let [sent, blocked] = [0, 0]
  const url = await serve(t, (_, response) => {
    void pour(response, CHUNKS, (full) => {
      sent += CHUNK.length
      if (full) blocked++
    })
  })
  const { status, body } = await client(t).stream(url)
  assert.equal(status, 200)
  let [received, buffered, inFlight] = [0, 0, 0]
  for await (const chunk of body) {
    received += chunk.length
    // One event loop turn, in which everything in transit could arrive.
    await turn()
    buffered = Math.max(buffered, body.readableLength)
    inFlight = Math.max(inFlight, sent - received)
  }
  assert.equal(received, CHUNKS * CHUNK.length)
  assert.ok(buffered <= 4 * CHUNK.length, `${buffered} bytes lay in the client`)
  // The rest is in the buffers of the two sockets.
  assert.ok(inFlight < 64 * 1024 * 1024, `${inFlight} bytes were on their way`)
  assert.ok(blocked > 0)
})

test('a response over the size limit is aborted', async (t) => {
  let closed: Promise<unknown> = Promise.resolve()
  const url = await serve(t, (request, response) => {
    closed = once(response, 'close')
    if (request.url === '/declared') response.setHeader('content-length', 100 * CHUNK.length)
    void pour(response, 100)
  })
  const outbound = client(t)
  const maxBytes = 10 * CHUNK.length
  const { body } = await outbound.stream(url, { maxBytes })
  await assert.rejects(sizeOf(body), is('too_large', /larger than 655360 bytes/))
  await closed
  await assert.rejects(outbound.stream(`${url}declared`, { maxBytes }), is('too_large', /655360/))
  await closed
})

test('a stalled response times out', async (t) => {
  const url = await serve(t, (_, response) => void response.write('a'))
  const { body } = await client(t).stream(url, { idleMs: 60 })
  await assert.rejects(sizeOf(body), is('timeout', /sent no data within 0.06 seconds/))
})

test('a slow reader does not time out', async (t) => {
  const url = await serve(t, (_, response) => void pour(response, 400))
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { body } = await client(t).stream(url, { idleMs: 1000 })
  while (body.readableLength < body.readableHighWaterMark) await turn()
  t.mock.timers.tick(60_000)
  assert.equal(await sizeOf(body), 400 * CHUNK.length)
})

test('a truncated response is reported to the reader, even to a late one', async (t) => {
  const url = await serve(t, (request, response) => {
    if (request.url === '/last') response.setHeader('connection', 'close')
    if (request.url === '/declared') response.setHeader('content-length', 9)
    response.write('a', () => request.socket.end())
  })
  const outbound = client(t)
  for (const path of ['', 'last', 'declared']) {
    const { body } = await outbound.stream(`${url}${path}`)
    await new Promise((resolve) => body.once('close', resolve))
    await assert.rejects(
      sizeOf(body),
      is('connection', /closed the connection in the middle of its response/),
    )
  }
})

test('a total timeout and an abort signal end a stream', async (t) => {
  const url = await serve(t, (_, response) => void response.write('a'))
  const outbound = client(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const limited = await outbound.stream(url, { totalMs: 1000 })
  t.mock.timers.tick(1000)
  await assert.rejects(sizeOf(limited.body), is('timeout', /did not finish/))
  const stop = new AbortController()
  const stopped = await outbound.stream(url, { signal: stop.signal })
  const reading = sizeOf(stopped.body)
  stop.abort(new Error('stopped by its owner'))
  await assert.rejects(reading, /stopped by its owner/)
  await assert.rejects(outbound.request(url, { signal: stop.signal }), /stopped by its owner/)
})

test('leaving early closes the connection and frees its slot', async (t) => {
  let left: Promise<unknown> = Promise.resolve()
  const url = await serve(t, (request, response) => {
    if (request.url === '/small') response.end('small')
    else {
      left = once(response, 'close')
      void pour(response, 100_000)
    }
  })
  const outbound = client(t, { concurrency: 1 })
  const { body } = await outbound.stream(url)
  await assert.rejects(
    outbound.request(`${url}small`, { totalMs: 60 }),
    is('timeout', /No free slot for a request to 127.0.0.1:\d+ within 0.06 seconds/),
  )
  const next = outbound.request(`${url}small`)
  for await (const chunk of body) if (chunk.length > 0) break
  await left
  assert.equal((await next).body.toString(), 'small')
  // A small response that is never read holds no slot either.
  await outbound.stream(`${url}small`)
  assert.equal((await outbound.request(`${url}small`)).status, 200)
})

test('a streamed body arrives complete, and is not sent twice', async (t) => {
  const seen: string[] = []
  const url = await serve(t, async (request, response) => {
    if (request.url === '/cut') return void request.once('data', () => request.socket.destroy())
    const hash = createHash('sha256')
    for await (const chunk of request) hash.update(chunk)
    seen.push(`${request.url} ${hash.digest('hex')} ${request.headers['transfer-encoding']}`)
    if (request.url === '/moved') response.writeHead(307, { location: '/' })
    response.end()
  })
  const outbound = client(t)
  const CHUNKS = 320 // 20 MB
  const expected = createHash('sha256')
  for (let chunk = 0; chunk < CHUNKS; chunk++) expected.update(CHUNK)
  const digest = expected.digest('hex')
  async function* chunks() {
    for (let chunk = 0; chunk < CHUNKS; chunk++) yield CHUNK
  }
  const put = (body: OutboundRequest['body']): OutboundRequest => ({
    method: 'PUT',
    ...(body && { body }),
  })
  assert.equal((await outbound.request(url, put(chunks()))).status, 200)
  assert.equal((await outbound.request(url, put(Readable.from(chunks())))).status, 200)
  assert.deepEqual(seen.splice(0), [`/ ${digest} chunked`, `/ ${digest} chunked`])

  const once = /can only be sent once/
  await assert.rejects(outbound.request(`${url}moved`, put(chunks())), is('bad_redirect', once))
  assert.equal(seen.length, 1)
  const source = Readable.from(chunks())
  await assert.rejects(outbound.request(`${url}cut`, put(source)), is('connection', /closed/))
  assert.equal(source.destroyed, true)
})

test('a body that cannot be read fails the request with its own error', async (t) => {
  const url = await serve(t, (request) => void request.resume())
  async function* broken() {
    yield CHUNK
    throw new Error('the disk is gone')
  }
  const outbound = client(t)
  const post = (body: AsyncIterable<Buffer>) => outbound.request(url, { method: 'POST', body })
  await assert.rejects(post(broken()), /^Error: the disk is gone$/)
  for (const address of ['https://127.0.0.2/', 'nowhere']) {
    const source = Readable.from(broken())
    const sent = outbound.request(address, { method: 'POST', body: source })
    await assert.rejects(sent, OutboundError)
    assert.equal(source.destroyed, true)
  }
})

test('the response timeout does not run while the body is being produced', async (t) => {
  const begun = Promise.withResolvers<void>()
  const url = await serve(t, async (request, response) => {
    request.once('readable', begun.resolve)
    const parts = await request.toArray()
    response.end(parts.join(''))
  })
  const more = Promise.withResolvers<void>()
  async function* slow() {
    yield Buffer.from('first ')
    await more.promise
    yield Buffer.from('second')
  }
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const sent = client(t).request(url, { method: 'POST', body: slow(), headersMs: 1000 })
  await begun.promise
  t.mock.timers.tick(10_000)
  more.resolve()
  assert.equal((await sent).body.toString(), 'first second')
})

test('requests with the same throttle key share it across destinations', async (t) => {
  let [running, peak] = [0, 0]
  const waiting: (() => void)[] = []
  const answer: RequestListener = (_, response) => {
    peak = Math.max(peak, ++running)
    waiting.push(() => {
      running--
      response.end()
    })
  }
  const urls = [await serve(t, answer), await serve(t, answer)]
  const outbound = client(t)
  const throttle = { key: 'application 1', concurrency: 2 }
  const calls = Array.from({ length: 6 }, (_, number) =>
    outbound.request(urls[number % 2]!, { throttle }),
  )
  let done = false
  const all = Promise.all(calls).finally(() => {
    done = true
  })
  for (; !done; await turn()) waiting.shift()?.()
  await all
  assert.equal(peak, 2)
})
