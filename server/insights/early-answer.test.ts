import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Fastify from 'fastify'
import { startApp } from '../../test/harness.ts'
import { EarlyAnswer } from './early-answer.ts'
import { insertPastEvents } from './index.ts'
import { EventPage } from './query/event-page.ts'

const app = await startApp()

test('a full large page is the same, whether its answer began early or not', async () => {
  const org = await app.newOrganization()
  const start = Date.now() - 3_600_000
  const rows = Array.from({ length: 5000 }, (_, at) => {
    const id = `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`
    const timestamp = new Date(start + Math.floor(at / 3)).toISOString()
    const document = JSON.stringify({
      id,
      timestamp,
      service: 'systems',
      message: `${at} é`.repeat(40),
    })
    return { id, timestamp, service: 'systems', document }
  })
  await app.db.tx(org.organizationId, (tx) => insertPastEvents(tx, org.organizationId, rows))
  const url = await app.listen()
  const ask = (encoding: string, sort: 'ASC' | 'DESC') =>
    fetch(`${url}/insights/directory/v1/events`, {
      method: 'POST',
      headers: {
        'x-api-key': org.apiKey,
        'content-type': 'application/json',
        'accept-encoding': encoding,
      },
      body: JSON.stringify({
        service: ['all'],
        start_time: new Date(start - 1000).toISOString(),
        end_time: new Date(start + 1_000_000).toISOString(),
        limit: 4000,
        sort,
      }),
    })
  const headersOf = ({ headers }: Response) =>
    ['x-result-count', 'x-limit', 'x-sort', 'x-search_after', 'content-type', 'cache-control'].map(
      (name) => headers.get(name),
    )
  for (const sort of ['ASC', 'DESC'] as const) {
    const packed = await ask('gzip', sort)
    const expected = await packed.text()
    assert.equal(JSON.parse(expected).length, 4000)
    for (let times = 0; times < 10; times++) {
      const plain = await ask('identity', sort)
      assert.deepEqual(headersOf(plain), headersOf(packed))
      assert.equal(await plain.text(), expected)
    }
  }
})

test('an answer that ends otherwise than foreseen is broken off', async () => {
  const http = Fastify()
  after(() => http.close())
  http.get('/', async (_, reply) => {
    const early = new EarlyAnswer(new EventPage(), 2)
    const { raw } = reply.hijack()
    raw.writeHead(200)
    early.begin(raw, { timestamp: 1, id: 'a' })
    early.finish()
  })
  const url = await http.listen({ port: 0, host: '127.0.0.1' })
  await assert.rejects(fetch(url).then((response) => response.text()))
})
