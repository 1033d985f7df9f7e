import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SHAPES } from '../../server/insights/fields.ts'
import { type LeafKind, OPERATORS, type Operator } from '../../server/insights/query/search-tree.ts'
import type { Service } from '../../server/insights/services.ts'
import { startApp } from '../harness.ts'

const app = await startApp()
const EVENTS = '/insights/directory/v1/events'
const DAY = 86_400_000
const now = Date.now()

type Json = Record<string, unknown>
interface Sample extends Json {
  timestamp: string
  sample: number
}

/** Shifts the fixed dates of the samples by whole days, so that the latest is from the last two days. */
function samples(organizationId: string): Sample[] {
  const lines = readFileSync(new URL('../sample-events.ndjson', import.meta.url), 'utf8')
  const events: Sample[] = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const newest = Math.max(...events.map(({ timestamp }) => Date.parse(timestamp)))
  const shift = Math.floor((now - newest) / DAY) * DAY
  return events.map((event, sample) => {
    const seconds = new Date(Date.parse(`${event.timestamp.slice(0, 19)}Z`) + shift)
    const timestamp = seconds.toISOString().slice(0, 19) + event.timestamp.slice(19)
    // A number for each: some have no id.
    return { ...event, timestamp, organization: organizationId, sample }
  })
}

const org = await app.newOrganization()
const events = samples(org.organizationId)
const send = async () => {
  const res = await app.http.inject({
    method: 'POST',
    url: '/insights/directory/v1/ingest',
    headers: { 'x-api-key': org.apiKey, 'content-type': 'application/x-ndjson' },
    payload: events.map((event) => JSON.stringify(event)).join('\n'),
  })
  return res.json()
}
const first = await send()

const serviceOf = (event: Json): Service => (event.service ?? 'notifications') as Service

async function find(service: string, search_term?: object): Promise<Set<number>> {
  const start_time = new Date(now - 60 * DAY).toISOString()
  const res = await org.post(EVENTS, { service: [service], start_time, search_term })
  assert.equal(res.statusCode, 200, `${res.body} ${JSON.stringify(search_term)}`)
  return new Set(res.json().map(({ sample }: Sample) => sample))
}

interface Leaf {
  field: string
  kind: LeafKind
  value: string | number | boolean
}

/** The searchable members of an event with their listed types. */
function leavesOf(event: Json): Leaf[] {
  const service = serviceOf(event)
  const walk = (value: unknown, field: string): Leaf[] => {
    if (Array.isArray(value)) return value.flatMap((one) => walk(one, field))
    if (typeof value === 'object' && value !== null) {
      return Object.entries(value).flatMap(([name, member]) =>
        walk(member, field === '' ? name : `${field}.${name}`),
      )
    }
    const shape = SHAPES[service].fields[field]
    if (!shape?.searchable || !Object.hasOwn(OPERATORS, shape.kind)) return []
    if (value === null) return []
    return [{ field, kind: shape.kind as LeafKind, value: value as Leaf['value'] }]
  }
  const leaves = walk(event, '')
  // One of each field: elements of a list share theirs.
  return [...new Map(leaves.map((leaf) => [leaf.field, leaf])).values()]
}

const SECOND = 1000
const shifted = (value: unknown, by: number) =>
  new Date(Date.parse(String(value)) + by).toISOString()

/** A value for which the operator matches the leaf. */
const FITTING: Record<Operator, (leaf: Leaf) => unknown> = {
  eq: ({ value }) => value,
  ne: ({ kind, value }) => (kind === 'boolean' ? !value : kind === 'number' ? -77 : 'no such word'),
  in: ({ value }) => [value],
  not_in: (leaf) => (leaf.kind === 'timestamp' ? [shifted(leaf.value, SECOND)] : [ne(leaf)]),
  contains: ({ value }) => String(value).slice(1, -1),
  startsWith: ({ value }) => String(value).slice(0, 5).toUpperCase(),
  endsWith: ({ value }) => String(value).slice(-5),
  lt: ({ value }) => Number(value) + 1,
  lte: ({ value }) => value,
  gt: ({ value }) => Number(value) - 0.5,
  gte: ({ value }) => String(value),
  before: ({ value }) => shifted(value, SECOND),
  after: ({ value }) => shifted(value, -SECOND),
}
const ne = (leaf: Leaf): unknown => FITTING.ne(leaf)

test('every sample is stored exactly once', async () => {
  assert.deepEqual(first, {
    received: events.length,
    stored: events.length,
    duplicates: 0,
    rejected: 0,
    errors: [],
  })
  const again = await send()
  assert.deepEqual([again.stored, again.duplicates, again.rejected], [0, events.length, 0])
  assert.equal((await find('all')).size, events.length)
})

test('every sample is found by its service only', async () => {
  for (const service of Object.keys(SHAPES)) {
    const expected = events.filter((event) => serviceOf(event) === service)
    const found = await find(service)
    assert.deepEqual([...found].sort(), expected.map(({ sample }) => sample).sort(), service)
    // Clients may ask for di_events, which nothing writes.
    const isEmpty = service === 'di_events'
    assert.equal(expected.length === 0, isEmpty, `samples of ${service}`)
  }
})

/** Matching terms for the event by operator: one for each field that allows it. */
function fittingTerms(event: Sample): object[][] {
  const leaves = leavesOf(event)
  return (Object.keys(FITTING) as Operator[])
    .map((operator) =>
      leaves
        .filter(({ kind }) => (OPERATORS[kind] as readonly string[]).includes(operator))
        .map((leaf) => ({ field: leaf.field, operator, value: FITTING[operator](leaf) })),
    )
    .filter((terms) => terms.length > 0)
}

test('every sample is found by every operator that its fields allow', async () => {
  for (const event of events) {
    const service = serviceOf(event)
    const groups = fittingTerms(event)
    const terms = groups.flat()
    assert.ok(terms.length > 30, `sample ${event.sample} has hardly any fields`)
    // All in one query; a list may not repeat a field, hence the groups.
    const found = await find(service, { and: groups.map((and) => ({ and })) })
    if (!found.has(event.sample)) {
      for (const term of terms)
        if (!(await find(service, { and: [term] })).has(event.sample))
          assert.fail(`${JSON.stringify(term)} does not find ${JSON.stringify(event)}`)
    }
    const refuted = await find(service, { or: terms.map((term) => ({ not: [term] })) })
    assert.ok(!refuted.has(event.sample), `a term both finds and misses sample ${event.sample}`)
  }
})

test('every sample with nested members is found by one of them, among all services', async () => {
  for (const event of events) {
    const nested = leavesOf(event).filter(({ field }) => field.includes('.'))
    for (const { field, value } of nested.slice(0, 1)) {
      const found = await find('all', { and: [{ [field]: value }] })
      assert.ok(found.has(event.sample), `${field} ${value} of sample ${event.sample}`)
    }
  }
})
