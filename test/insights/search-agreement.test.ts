import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertPastEvents } from '../../server/insights/index.ts'
import { type EventQuery, readEventQuery } from '../../server/insights/query/event-query.ts'
import { readPage } from '../../server/insights/query/page.ts'
import { countEvents } from '../../server/insights/query/sums.ts'
import { sealOrganization } from '../../server/insights/segments/seal.ts'
import { SERVICES } from '../../server/insights/services.ts'
import { AppError } from '../../server/platform/errors.ts'
import { uuidv7 } from '../../server/platform/ids.ts'
import { DEFAULT_LIMITS } from '../../server/platform/limits.ts'
import { rounds } from '../effort.ts'
import { startApp } from '../harness.ts'
import { seeded } from './random.ts'
import { randomEvent, randomGroup, scalarsOf, type TermSources } from './random-events.ts'
import { matches, type StoredDocument } from './reference.ts'

const app = await startApp()
const EVENTS = 200
const TERMS = rounds(500)
const HOUR = 3_600_000

async function store(organizationId: string, events: StoredDocument[]): Promise<void> {
  const rows = events.map(({ service, timestamp, document }) => ({
    id: uuidv7(),
    timestamp: new Date(timestamp).toISOString(),
    service,
    document: JSON.stringify(document),
  }))
  await app.db.tx(organizationId, (tx) => insertPastEvents(tx, organizationId, rows))
}

/** The type of an unlisted field follows the value, and some operators do not apply. */
function readOrRefuse(body: Record<string, unknown>, now: number): EventQuery | null {
  try {
    return readEventQuery(body, now, DEFAULT_LIMITS.events)
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return null
    throw error
  }
}

test('the database agrees with the reference for random terms and events', async () => {
  const { organizationId } = await app.newOrganization()
  const now = Date.now()
  const events = Array.from({ length: EVENTS }, (_, at) =>
    // Several share a millisecond.
    randomEvent(seeded(at), at, now - HOUR * (1 + (at % 50))),
  )
  await store(organizationId, events)
  // The older half is sealed, so every term is tested on rows and on segments.
  await sealOrganization(app.db, organizationId, { settled: now - HOUR * 25, size: 20 })
  const sources: TermSources = {
    scalars: events.flatMap(({ document }) => scalarsOf(document)),
    timestamps: events.map(({ timestamp }) => timestamp),
  }
  let found = 0
  let refused = 0
  for (let seed = 1_000; seed < 1_000 + TERMS; seed++) {
    const random = seeded(seed)
    const search_term = randomGroup(random, sources)
    const service = random.chance(0.7) ? ['all'] : random.some(SERVICES).concat('directory')
    const start_time = new Date(now - 100 * HOUR).toISOString()
    const body = { service, start_time, search_term, limit: EVENTS }
    const query = readOrRefuse(body, now)
    if (query === null) {
      refused++
      continue
    }
    const told = (problem: string) =>
      `seed ${seed}: ${problem}\nterm ${JSON.stringify(search_term)}\nof ${service}`
    const tenant = app.db.tenant(organizationId)
    const page = await readPage(tenant, [organizationId], query).catch((error) =>
      assert.fail(told(String(error))),
    )
    const answer = JSON.parse(page.json().toString())
    const counted = await countEvents(tenant, [organizationId], query)
    assert.equal(counted, answer.length, told('the count differs'))
    const ids = new Set<unknown>(answer.map(({ id }: { id: string }) => id))
    for (const event of events) {
      const wanted: boolean =
        query.services.includes(event.service as 'directory') &&
        (query.term === null || matches(query.term, event))
      if (wanted) found++
      if (wanted !== ids.has(event.document.id)) {
        const problem: string = wanted ? 'not found' : 'found, but does not match'
        assert.fail(told(`${problem}: ${JSON.stringify(event)}`))
      }
    }
  }
  // Terms that match nothing or everything would prove nothing.
  assert.ok(refused < TERMS / 10, `${refused} terms were refused`)
  const share = found / (EVENTS * TERMS)
  assert.ok(share > 0.1 && share < 0.9, `a share of ${share} matched`)
})
