import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { readWatermark, recordEvent } from '../../server/insights/index.ts'
import { sealOrganization } from '../../server/insights/segments/seal.ts'
import { systemCaller } from '../../server/platform/caller.ts'
import { openDb } from '../../server/platform/db/index.ts'
import { sql } from '../../server/platform/db/sql.ts'
import { startApp } from '../harness.ts'
import { until } from '../until.ts'
import { type Random, seeded } from './random.ts'

// Design D7: events commit in another order than their timestamps, and no reader may notice.

const app = await startApp()
const EVENTS = '/insights/directory/v1/events'
const WRITERS = 6
const TRANSACTIONS = 60
/** Writers hold connections for a long time; readers must not wait for one. */
const writing = openDb(app.service, { max: WRITERS })

type Organization = Awaited<ReturnType<typeof app.newOrganization>>
interface Told {
  timestamp: string
  resource: { name: string }
}

/** Alternates events and pauses; a pause is a few round trips, so that others commit in between. */
async function write(organizationId: string, writer: number, random: Random): Promise<string[]> {
  const actor = systemCaller(organizationId, `writer ${writer}`)
  const written: string[] = []
  for (let at = 0; at < TRANSACTIONS; at++) {
    const names = Array.from({ length: 1 + random.below(12) }, (_, n) => `${writer}-${at}-${n}`)
    const undone = random.chance(0.1)
    await writing
      .tx(organizationId, async (tx) => {
        for (const name of names) {
          await recordEvent(tx, actor, { event_type: 'note', resource: { type: 'note', name } })
          for (let pause = random.below(8); pause > 0; pause--) await tx.one(sql`select 1 as one`)
          if (random.chance(0.2)) await turn()
        }
        if (undone) throw new Error('undone')
      })
      .catch((error) => assert.equal(error.message, 'undone'))
    if (!undone) written.push(...names)
  }
  return written
}

const namesOf = (events: Told[]): string[] => events.map(({ resource }) => resource.name)

/** Pages by cursor until a page is empty after the writers are done. */
async function pageThrough(
  org: Organization,
  start_time: string,
  limit: number,
  isOver: () => boolean,
): Promise<string[]> {
  const seen: string[] = []
  let search_after: unknown
  for (;;) {
    const over = isOver()
    const res = await org.post(EVENTS, { service: ['directory'], start_time, limit, search_after })
    const events: Told[] = res.json()
    seen.push(...namesOf(events))
    if (over && events.length === 0) return seen
    search_after = JSON.parse(String(res.headers['x-search_after']))
  }
}

/** Polls from the latest timestamp, which repeats the events of that millisecond. */
async function poll(org: Organization, from: string, isOver: () => boolean): Promise<string[]> {
  const seen: string[] = []
  let start_time = from
  let atStart = new Set<string>()
  for (;;) {
    const over = isOver()
    const res = await org.post(EVENTS, { service: ['directory'], start_time, limit: 10_000 })
    const events: Told[] = res.json()
    const fresh = events.filter(({ resource }) => !atStart.has(resource.name))
    seen.push(...namesOf(fresh))
    if (over && fresh.length === 0) return seen
    const last = events.at(-1)
    if (!last) continue
    start_time = last.timestamp
    atStart = new Set(namesOf(events.filter(({ timestamp }) => timestamp === start_time)))
  }
}

/** Again and again, in small pieces, as close to the writers as can be. */
async function seal(organizationId: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const settled = await readWatermark(app.db)
    await sealOrganization(app.db, organizationId, { settled, size: 9, least: 4, leastLate: 1 })
    await turn()
  }
}

test('readers that page or poll during writes and sealing see every event exactly once', async () => {
  const org = await app.newOrganization()
  const start_time = new Date(Date.now() - 60_000).toISOString()
  let settled = false
  const isOver = () => settled
  const readers = [
    pageThrough(org, start_time, 7, isOver),
    pageThrough(org, start_time, 1000, isOver),
    poll(org, start_time, isOver),
  ]
  const sealing = seal(org.organizationId, isOver)
  const writers = Array.from({ length: WRITERS }, (_, writer) =>
    write(org.organizationId, writer, seeded(writer)),
  )
  const written = (await Promise.all(writers)).flat().sort()
  // The last events become visible once the watermark has passed their millisecond.
  const count = async () =>
    (await org.post(`${EVENTS}/count`, { service: ['all'], start_time })).json().count
  await until('all of them', async () => (await count()) >= written.length)
  const sealed = () =>
    app.db
      .tenant(org.organizationId)
      .one<{ events: number }>(sql`select sum(events)::int8 as events from event_segments`)
  await until('most are sealed', async () => (await sealed())!.events > written.length / 2)
  settled = true
  await Promise.all([writing.close(), sealing])
  assert.ok(written.length > 1500, `${written.length} events`)
  for (const [at, seen] of (await Promise.all(readers)).entries()) {
    assert.equal(new Set(seen).size, seen.length, `reader ${at} saw an event twice`)
    assert.deepEqual(seen.sort(), written, `reader ${at}`)
  }
})
