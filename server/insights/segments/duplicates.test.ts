import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { seeded } from '../../../test/insights/random.ts'
import { sql } from '../../platform/db/sql.ts'
import { sealOrganization } from './seal.ts'

// Nothing is stored twice, wherever an event lies already.

const app = await startApp()
const BASE = '/insights/directory/v1'
const DAY = 86_400_000
const start = Date.now() - 2 * DAY
const EVENTS = 900

type Organization = Awaited<ReturnType<typeof app.newOrganization>>

const random = seeded(17)
/** Some share a millisecond, more than a segment takes in one case. */
const events = Array.from({ length: EVENTS }, (_, at) => ({
  id: `event ${at}`,
  event_type: 'note',
  service: 'ldap',
  timestamp: new Date(start + (at < 40 ? 0 : Math.floor(at / 3))).toISOString(),
}))
const shuffled = events
  .map((event) => ({ event, place: random.below(1_000_000) }))
  .sort((a, b) => a.place - b.place)
  .map(({ event }) => event)

async function send({ post }: Pick<Organization, 'post'>, some: object[]) {
  const answer = await post(`${BASE}/ingest`, some)
  assert.equal(answer.statusCode, 200, answer.body)
  const { stored, duplicates } = answer.json()
  return { stored, duplicates }
}

const seal = ({ organizationId }: Organization) =>
  sealOrganization(app.db, organizationId, { size: 25, least: 5, leastLate: 1 })

/** Rows and sealed events; twice the same number when nothing is stored twice. */
async function countAll({ organizationId, post }: Organization) {
  const row = await app.db.tenant(organizationId).one<{ events: number }>(sql`
    select ((select count(*) from events where service = 'ldap')
          + (select coalesce(sum((services ->> 'ldap')::int), 0) from event_segments))::int8 as events`)
  const body = { service: ['ldap'], start_time: new Date(start - DAY).toISOString(), limit: 10_000 }
  const page: { id: string }[] = (await post(`${BASE}/events`, body)).json()
  return { stored: row!.events, seen: page.length, different: new Set(page.map((e) => e.id)).size }
}
const once = { stored: EVENTS, seen: EVENTS, different: EVENTS }

test('an event that a body has twice is not stored again after it was sealed', async () => {
  const org = await app.newOrganization()
  const twice = [...events, ...events]
  assert.deepEqual(await send(org, twice), { stored: EVENTS, duplicates: EVENTS })
  await seal(org)
  assert.deepEqual(await send(org, twice), { stored: 0, duplicates: 2 * EVENTS })
  assert.deepEqual(await countAll(org), once)
})

test('the same events from several senders, sorted and shuffled, while sealing runs, are stored once', async () => {
  const org = await app.newOrganization()
  let over = false
  const sealing = (async () => {
    while (!over) await seal(org)
  })()
  const parts = (list: object[]) =>
    Array.from({ length: 9 }, (_, at) => list.slice(at * 100, at * 100 + 100))
  const sent = await Promise.all(
    [events, shuffled].map(async (list) => {
      let stored = 0
      for (const part of parts(list)) stored += (await send(org, part)).stored
      return stored
    }),
  )
  over = true
  await sealing
  assert.equal(
    sent.reduce((sum, stored) => sum + stored, 0),
    EVENTS,
  )
  assert.deepEqual(await countAll(org), once)
  await seal(org)
  assert.deepEqual(await send(org, shuffled), { stored: 0, duplicates: EVENTS })
  assert.deepEqual(await countAll(org), once)
})
