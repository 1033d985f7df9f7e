import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { insertPastEvents } from '../index.ts'
import { PageBuffers } from './page-buffers.ts'

const app = await startApp()
const { limits } = app.config
const EVENTS = 3000
const start = Date.now() - 3_600_000

type Organization = Awaited<ReturnType<typeof app.newOrganization>>

/** Every event contains its organization in a text long enough for a large page. */
async function filled(): Promise<Organization> {
  const org = await app.newOrganization()
  const filler = org.organizationId.repeat(20)
  const rows = Array.from({ length: EVENTS }, (_, at) => {
    const id = `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`
    const timestamp = new Date(start + at).toISOString()
    const document = JSON.stringify({ id, timestamp, service: 'systems', message: filler })
    return { id, timestamp, service: 'systems', document }
  })
  await app.db.tx(org.organizationId, (tx) => insertPastEvents(tx, org.organizationId, rows))
  return org
}

const agent = new Agent({ keepAlive: true })
const body = JSON.stringify({
  service: ['all'],
  start_time: new Date(start - 1000).toISOString(),
  limit: 10_000,
})

const ask = (url: string, org: Organization, encoding: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/insights/directory/v1/events`, {
      method: 'POST',
      agent,
      headers: {
        'x-api-key': org.apiKey,
        'content-type': 'application/json',
        'accept-encoding': encoding,
      },
    })
    sent.on('response', resolve).on('error', reject)
    sent.end(body)
  })

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

test('concurrent large pages of two organizations, some read late, some aborted, never mix', async () => {
  const organizations = [await filled(), await filled()]
  const url = await app.listen()
  const check = async (response: IncomingMessage, org: Organization) => {
    const events = JSON.parse(await textOf(response)) as { message: string }[]
    assert.equal(events.length, EVENTS)
    const filler = org.organizationId.repeat(20)
    assert.ok(events.every(({ message }) => message === filler))
  }
  for (let round = 0; round < 3; round++) {
    // These are not read until the others are done.
    const late = await Promise.all(organizations.map((org) => ask(url, org, 'identity')))
    const broken = await ask(url, organizations[round % 2]!, 'identity')
    broken.on('error', () => {}).destroy()
    await Promise.all(
      [...organizations, ...organizations].map(async (org) =>
        check(await ask(url, org, 'identity'), org),
      ),
    )
    await Promise.all(late.map((response, at) => check(response, organizations[at]!)))
  }
  agent.destroy()
})

test('more large pages than the limit all arrive', async () => {
  const org = await filled()
  // Few more: the last of many would wait for longer than its patience on a busy machine.
  const count = limits.tenant.largePages + 2
  const pages = await Promise.all(
    Array.from({ length: count }, () =>
      org.post('/insights/directory/v1/events', JSON.parse(body) as object),
    ),
  )
  for (const page of pages) assert.equal(page.json().length, EVENTS)
})

test('one page more than the limit waits, and is refused in the end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const buffers = new PageBuffers(limits)
  const take = () => buffers.take(10_000, new ServerResponse({ method: 'GET' } as never), 'one')
  for (let at = 0; at < limits.tenant.largePages; at++) await take()
  const waiting = take()
  t.mock.timers.tick(30_000)
  await assert.rejects(waiting, { reason: 'too_many_large_pages' })
})

test('a full large page has a Content-Length, and is the same compressed or not', async () => {
  const org = await filled()
  const url = await app.listen()
  const limited = { ...JSON.parse(body), limit: 2500 }
  const fetchPage = (encoding: string, sort: 'ASC' | 'DESC') =>
    fetch(`${url}/insights/directory/v1/events`, {
      method: 'POST',
      headers: {
        'x-api-key': org.apiKey,
        'content-type': 'application/json',
        'accept-encoding': encoding,
      },
      body: JSON.stringify({ ...limited, end_time: new Date(start + EVENTS).toISOString(), sort }),
    })
  const headersOf = ({ headers }: Response) =>
    ['x-result-count', 'x-limit', 'x-sort', 'x-search_after', 'content-type', 'cache-control'].map(
      (name) => headers.get(name),
    )
  for (const sort of ['ASC', 'DESC'] as const) {
    const packed = await fetchPage('gzip', sort)
    const expected = await packed.text()
    assert.equal(JSON.parse(expected).length, 2500)
    const plain = await fetchPage('identity', sort)
    assert.equal(plain.headers.get('content-length'), String(Buffer.byteLength(expected)))
    assert.deepEqual(headersOf(plain), headersOf(packed))
    assert.equal(await plain.text(), expected)
  }
})
