import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertPastEvents } from '../../server/insights/index.ts'
import { readEventQuery } from '../../server/insights/query/event-query.ts'
import { sealOrganization } from '../../server/insights/segments/seal.ts'
import { SERVICES } from '../../server/insights/services.ts'
import { AppError } from '../../server/platform/errors.ts'
import { DEFAULT_LIMITS } from '../../server/platform/limits.ts'
import { rounds, seeds } from '../effort.ts'
import { type Response, startApp } from '../harness.ts'
import { type Random, seeded } from './random.ts'
import { randomEvent, randomGroup, scalarsOf, type TermSources } from './random-events.ts'
import { distinctOf, matches, type StoredDocument, stepsOf } from './reference.ts'

// Wherever events lie, every answer is that of a plain evaluator: for rows, half sealed, with late events among them,
// and sealed.

const app = await startApp()
const BASE = '/insights/directory/v1/events'
const EVENTS = 200
const QUESTIONS = rounds(30)
const MINUTE = 60_000

interface Event extends StoredDocument {
  organizationId: string
  id: string
  /** As it is stored. */
  text: string
}

const hex = (random: Random, digits: number): string =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join('')
const randomId = (random: Random): string =>
  `${hex(random, 8)}-${hex(random, 4)}-7${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}`

/** Members that get no column: too many of them, names or texts too long. */
function enlarge(random: Random, at: number, document: Record<string, unknown>): void {
  if (random.chance(0.04))
    document.wide = Object.fromEntries(
      Array.from({ length: 450 }, (_, n) => [`f${n}`, random.pick([n, `${n}`, null, [n, [n]]])]),
    )
  if (random.chance(0.02)) document['n'.repeat(1100)] = at
  if (at % 120 === 7) document.username = `${'x'.repeat(1_000_000)}${at}`
}

function randomStored(random: Random, at: number, organizations: string[], now: number): Event {
  // Many share a millisecond.
  const time = now - 120 * MINUTE - random.below(90) * 37 * MINUTE - random.below(2)
  const event = randomEvent(random, at, time)
  enlarge(random, at, event.document)
  // A document leaves as it was recorded, with its spaces.
  const text = JSON.stringify(event.document, null, random.chance(0.2) ? 1 : 0)
  const document = JSON.parse(text)
  const organizationId = random.pick(organizations)
  return { ...event, document, organizationId, id: randomId(random), text }
}

async function store(events: Event[]): Promise<void> {
  for (const [organizationId, own] of Map.groupBy(events, (event) => event.organizationId)) {
    const rows = own.map(({ id, timestamp, service, text }) => ({
      id,
      timestamp: new Date(timestamp).toISOString(),
      service,
      document: text,
    }))
    await app.db.tx(organizationId, (tx) => insertPastEvents(tx, organizationId, rows))
  }
}

type Body = Record<string, unknown>
interface Question {
  path: '' | '/count' | '/distinct' | '/interval' | '/export'
  organizations: string[]
  body: Body
}

const DISTINCT = [
  'username',
  'event_type',
  'service',
  'timestamp',
  'error_code',
  'success',
  'extra',
  'extra.er',
  'auth_context.policies_applied.name',
  'wide.f3',
  'we"ird',
  '日本.😀',
  '__proto__',
  'absent',
]
const UNITS = { m: MINUTE, h: 60 * MINUTE, d: 1440 * MINUTE, w: 7 * 1440 * MINUTE }
const ZONES = { '': 0, '+0130': 90 * MINUTE, '-05:00': -300 * MINUTE }

function randomTerm(random: Random, sources: TermSources): object | undefined {
  if (random.chance(0.25)) return undefined
  const group = randomGroup(random, sources)
  if (random.chance(0.85)) return group
  const number = random.below(450)
  const value = random.chance(0.5) ? number : String(number)
  return { or: [group, { [`wide.f${number}`]: value }] }
}

function randomQuestion(
  random: Random,
  sources: TermSources,
  events: Event[],
  organizations: string[],
): Question {
  const time = () => new Date(random.pick(sources.timestamps)).toISOString()
  const body: Body = {
    service: random.chance(0.7) ? ['all'] : random.some(SERVICES).concat('directory'),
    start_time: random.chance(0.6) ? '2000-01-01T00:00:00Z' : time(),
    search_term: randomTerm(random, sources),
  }
  if (random.chance(0.3)) body.end_time = time()
  const some = random.chance(0.5) ? organizations : [random.pick(organizations)]
  const path = random.pick(['', '', '', '/count', '/distinct', '/interval', '/export'] as const)
  const question = { path, organizations: some, body }
  if (path === '/distinct') body.field = random.pick(DISTINCT)
  if (path === '/export') body.format = 'ndjson'
  if (path === '/interval') {
    body.interval_unit = random.pick(Object.keys(UNITS))
    body.interval_value = 1 + random.below(40)
    body.timezone = random.pick(Object.keys(ZONES))
  }
  if (path !== '' && path !== '/export') return question
  body.sort = random.pick(['ASC', 'DESC'])
  if (random.chance(0.4)) {
    const { timestamp, id } = random.pick(events)
    body.search_after = [
      random.chance(0.5) ? timestamp : String(timestamp),
      random.chance(0.8) ? id : randomId(random),
    ]
  }
  if (path === '') body.limit = 1 + random.below(random.chance(0.5) ? 20 : 400)
  if (random.chance(0.4)) body.skip = random.below(80)
  return question
}

const order = (a: { timestamp: number; id: string }, b: { timestamp: number; id: string }) =>
  a.timestamp - b.timestamp || (a.id < b.id ? -1 : Number(a.id > b.id))

/** What the service must answer; null for a body that it refuses. */
function answerOf({ path, organizations, body }: Question, events: Event[], now: number) {
  // No body may have such a member; as `field` of a term it is an ordinary name.
  if (JSON.stringify(body).includes('"__proto__":')) return null
  let query: ReturnType<typeof readEventQuery>
  try {
    query = readEventQuery(body, now, DEFAULT_LIMITS.events)
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return null
    throw error
  }
  const found = events.filter(
    (event) =>
      organizations.includes(event.organizationId) &&
      query.services.includes(event.service as 'directory') &&
      event.timestamp >= query.from &&
      (query.to === null || event.timestamp <= query.to) &&
      (query.term === null || matches(query.term, event)),
  )
  if (path === '/count') return JSON.stringify({ count: found.length })
  if (path === '/distinct') {
    const buckets = Object.entries(distinctOf(found, String(body.field)))
      .map(([key, doc_count]) => ({ key, doc_count }))
      .sort(
        (a, b) =>
          b.doc_count - a.doc_count || Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)),
      )
    return JSON.stringify(buckets)
  }
  if (path === '/interval') {
    const width = UNITS[body.interval_unit as 'm'] * Number(body.interval_value)
    const steps = stepsOf(found, width, ZONES[body.timezone as ''])
    const buckets = steps.map(({ key, doc_count }) => ({
      key,
      key_as_string: new Date(key).toISOString(),
      doc_count,
    }))
    return JSON.stringify({ buckets })
  }
  const direction = query.sort === 'ASC' ? 1 : -1
  const { after, skip } = query
  const page = found
    .toSorted((a, b) => direction * order(a, b))
    .filter((event) => after === null || direction * order(event, after) > 0)
    .slice(skip, path === '' ? skip + query.limit : undefined)
  if (path === '/export') return page.map(({ text }) => `${text.replaceAll('\n', ' ')}\n`).join('')
  const last = page.at(-1) ?? after
  return `${JSON.stringify(last ? [last.timestamp, last.id] : [])} [${page.map(({ text }) => text).join(',')}]`
}

/** The part of a response that is compared, byte for byte. */
function comparable(path: Question['path'], response: Response): string {
  assert.equal(response.statusCode, 200, response.body)
  if (path === '/distinct') return JSON.stringify(response.json().buckets)
  return path === '' ? `${response.headers['x-search_after']} ${response.body}` : response.body
}

const shorten = (text: string) => (text.length > 3000 ? `${text.slice(0, 3000)}…` : text)

for (const seed of seeds(2))
  test(`rows, segments and both together answer as the reference does (seed ${seed})`, async () => {
    const random = seeded(seed)
    const provider = await app.newProvider(2)
    const { organizationIds } = provider
    const now = Date.now()
    const events = Array.from({ length: EVENTS }, (_, at) =>
      randomStored(random, at, organizationIds, now),
    )
    const sources: TermSources = {
      scalars: events
        .flatMap(({ document }) => scalarsOf(document))
        .filter((one) => String(one).length < 5000),
      timestamps: events.map(({ timestamp }) => timestamp),
    }
    const questions = Array.from({ length: QUESTIONS }, () =>
      randomQuestion(random, sources, events, organizationIds),
    )
    const late = events.filter(() => random.chance(0.2))
    const present = events.filter((event) => !late.includes(event))
    let asked = 0
    let matched = 0

    const askAll = async (state: string) => {
      for (const question of questions) {
        const { path, organizations, body } = question
        const expected = answerOf(question, present, now)
        if (expected === null) continue
        const headers = { 'x-org-id': organizations.join(',') }
        const response = await provider.post(BASE + path, body, headers)
        const actual = comparable(path, response)
        asked++
        if (actual.length > 20) matched++
        if (actual !== expected)
          assert.fail(
            `seed ${seed}, ${state}: ${path} ${JSON.stringify(body)} of ${organizations}\n` +
              `answered ${shorten(actual)}\nexpected ${shorten(expected)}`,
          )
      }
    }
    /** Page by page to the end, by cursor. */
    const walk = async (sort: 'ASC' | 'DESC', limit: number) => {
      const documents: string[] = []
      const headers = { 'x-org-id': organizationIds.join(',') }
      for (let search_after: unknown; ; ) {
        const body = {
          service: ['all'],
          start_time: '2000-01-01T00:00:00Z',
          sort,
          limit,
          search_after,
        }
        const page = await provider.post(BASE, body, headers)
        const length = page.json().length
        if (length > 0) documents.push(page.body.slice(1, -1))
        if (length < limit) return documents.join(',')
        search_after = JSON.parse(String(page.headers['x-search_after']))
      }
    }
    const seal = async (settled: number) => {
      const size = 3 + random.below(30)
      const leastLate = 1 + random.below(3)
      for (const id of organizationIds)
        await sealOrganization(app.db, id, { settled, size, least: 1, leastLate })
    }

    await store(present)
    await askAll('rows')
    await seal(now - 1800 * MINUTE)
    await askAll('half sealed')
    await store(late)
    present.push(...late)
    await askAll('half sealed, some late')
    await seal(now)
    await askAll('sealed')
    const ascending = present.toSorted(order).map(({ text }) => text)
    assert.ok((await walk('ASC', 7)) === ascending.join(','))
    assert.ok((await walk('DESC', 31)) === ascending.toReversed().join(','))
    // Questions that are refused or find nothing would prove nothing.
    assert.ok(asked > 3 * QUESTIONS, `${asked} asked`)
    assert.ok(matched > asked / 3, `${matched} of ${asked} found something`)
  })
