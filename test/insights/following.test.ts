import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ForwardingWorker } from '../../server/forwarding/worker.ts'
import { readWatermark, recordEvent } from '../../server/insights/index.ts'
import { sealOrganization } from '../../server/insights/segments/seal.ts'
import { systemCaller } from '../../server/platform/caller.ts'
import { openDb } from '../../server/platform/db/index.ts'
import { sql } from '../../server/platform/db/sql.ts'
import { createLog } from '../../server/platform/log.ts'
import { Allowlist } from '../../server/platform/outbound/allowlist.ts'
import { Outbound } from '../../server/platform/outbound/client.ts'
import { startApp } from '../harness.ts'
import { startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { messagesOf } from './messages.ts'
import { type Random, seeded } from './random.ts'

// Streams and forwarders follow writers and a source of late events, while events are sealed under their cursors.

const app = await startApp()
const url = await app.listen()
const outbound = new Outbound({ allowlist: new Allowlist(['127.0.0.1']) })
/** Writers and the sealer hold connections for a long time; readers must not wait for one. */
const writing = openDb(app.service, { max: 8 })
after(() => Promise.all([outbound.close(), writing.close()]))

const BASE = '/insights/directory/v1'
const WRITERS = 4
const TRANSACTIONS = 40
const HOUR = 3_600_000

type Organization = Awaited<ReturnType<typeof app.newOrganization>>

async function write(organizationId: string, writer: number, random: Random): Promise<string[]> {
  const actor = systemCaller(organizationId, `writer ${writer}`)
  const written: string[] = []
  for (let at = 0; at < TRANSACTIONS; at++) {
    const names = Array.from({ length: 1 + random.below(6) }, (_, n) => `${writer}-${at}-${n}`)
    await writing.tx(organizationId, async (tx) => {
      for (const name of names) {
        await recordEvent(tx, actor, { event_type: 'note', resource: { type: 'note', name } })
        // Others commit in between.
        for (let pause = random.below(6); pause > 0; pause--) await tx.one(sql`select 1 as one`)
      }
    })
    written.push(...names)
  }
  return written
}

/** A source that is hours late, and sends some of its events twice. */
async function ingestLate(org: Organization, random: Random): Promise<string[]> {
  const sent: string[] = []
  let last: object[] = []
  for (let at = 0; at < TRANSACTIONS; at++) {
    const events = Array.from({ length: 1 + random.below(6) }, (_, n) => {
      const name = `late-${at}-${n}`
      sent.push(name)
      const timestamp = new Date(Date.now() - HOUR - random.below(HOUR)).toISOString()
      return { id: name, name, service: 'notifications', event_type: 'sample', timestamp }
    })
    const again = random.chance(0.3) ? last : []
    const answer = await org.post(`${BASE}/ingest`, [...events, ...again])
    assert.equal(answer.json().stored, events.length, answer.body)
    last = events
  }
  return sent
}

interface Follower {
  names: string[]
  ids: string[]
  until(count: number): Promise<void>
}

/** A stream that is cut now and then, and goes on with the id of its last message. */
function followStream({ apiKey }: Organization, from: string, cutAfter: number): Follower {
  const names: string[] = []
  const ids: string[] = []
  const until = async (count: number) => {
    while (names.length < count) {
      const stop = new AbortController()
      const response = await fetch(`${url}${BASE}/events/stream?service=directory`, {
        headers: { 'x-api-key': apiKey, 'last-event-id': ids.at(-1) ?? from },
        signal: stop.signal,
      })
      assert.equal(response.status, 200)
      const end = Math.min(count, names.length + cutAfter)
      for await (const { id, event } of messagesOf(response)) {
        ids.push(id)
        names.push((event.resource as { name: string }).name)
        if (names.length >= end) break
      }
      stop.abort()
    }
  }
  return { names, ids, until }
}

test('streams and forwarders get every event once, in order, while it is being sealed', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const receiver = await startReceiver()
  const settings = { name: 'SIEM', url: receiver.url, batch_size: 9 }
  const made = (await org.post(`${BASE}/forwarders`, settings)).json()
  app.secrets.add(made.secret)
  await app.db.tx(organizationId, (tx) => tx.execute('delete from events'))

  let over = false
  const sealing = (async () => {
    while (!over) {
      const settled = await readWatermark(writing)
      const small = { settled, size: 8, least: 3, leastLate: 1 }
      // Two at once, as by two workers.
      await Promise.all([
        sealOrganization(writing, organizationId, small),
        sealOrganization(writing, organizationId, small),
      ])
      await turn()
    }
  })()
  const context = { ...app.contexts.forwarding, searchDb: app.db, outbound }
  const worker = () => new ForwardingWorker(context, createLog('silent')).runDue()
  const forwarding = (async () => {
    while (!over) await Promise.all([worker(), worker()])
  })()
  const from = `${(await readWatermark(app.db)) - 1}:00000000-0000-0000-0000-000000000000`
  const streams = [
    followStream(org, from, 60),
    followStream(org, from, 7),
    followStream(org, from, 1000),
  ]
  const writers = Array.from({ length: WRITERS }, (_, writer) =>
    write(organizationId, writer, seeded(writer)),
  )
  const [late, ...written] = await Promise.all([
    ingestLate(org, seeded(99)),
    ...writers,
    // The least that all of them write: the streams are read meanwhile.
    ...streams.map(async (stream) => {
      await stream.until(WRITERS * TRANSACTIONS)
      return []
    }),
  ])
  const own = written.flat()
  await Promise.all(streams.map((stream) => stream.until(own.length)))
  const nameOf = (event: Record<string, unknown>): string =>
    String(event.name ?? (event.resource as { name: string }).name)
  const arrived = () => receiver.accepted.flatMap(({ events }) => events.map(nameOf))
  await until('all of them', () => arrived().length >= own.length + late.length)
  const sealed = () =>
    app.db
      .tenant(organizationId)
      .one<{ events: number }>(sql`select sum(events)::int8 as events from event_segments`)
  await until('most are sealed', async () => (await sealed())!.events > own.length / 2)
  over = true
  await Promise.all([sealing, forwarding])
  await worker()

  const place = (id: string) => `${id.split(':')[0]!.padStart(15, '0')}:${id.split(':')[1]}`
  for (const { names, ids } of streams) {
    assert.deepEqual(names.toSorted(), own.toSorted(), 'each once')
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)),
      'in order',
    )
    assert.deepEqual(names, streams[0]!.names)
  }
  assert.deepEqual(arrived().toSorted(), [...own, ...late].toSorted(), 'each once')
  assert.deepEqual(
    arrived().filter((name) => !name.startsWith('late')),
    streams[0]!.names,
    'in order',
  )
})
