import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import pg from 'pg'
import { sealEvents } from '../../server/insights/index.ts'
import { clientConfig, openDb } from '../../server/platform/db/index.ts'
import { connectionsOf } from '../../server/platform/postgres/embedded.ts'
import {
  atMost,
  type Benchmark,
  multiple,
  percent,
  profileFlags,
  type Row,
  type Settings,
} from '../benchmark.ts'
import { type Case, casesOf, since } from '../insights/cases.ts'
import { asOwner, copyEvents, loadEvents, makeOrganizations } from '../insights/dataset.ts'
import { generate } from '../insights/generator.ts'
import { post } from '../insights/http.ts'
import { postgresMicroseconds } from '../insights/postgres-cpu.ts'
import { requestsPerSecond } from '../load.ts'
import { residentMegabytes } from '../memory.ts'
import { compare, type Pair, repeated, type Side } from '../rounds.ts'
import { keyHeader, type Service, startService, temporaryDataDir } from '../service.ts'

const EXPORTED = 300_000
const CLIENTS = 8
const INGESTED = 20_000
const INGEST_GOAL = 0.4
const MAX_BYTES_PER_EVENT = 350
/** Processor time, of the service and the database together. */
const MAX_SEALING_US = 80
/** As most clients ask for it: at most three times as long as without. */
const GZIP_GOAL = 1 / 3
const MAX_MEGABYTES = 512

interface World {
  service: Service
  /** Largest first. */
  organizations: string[]
  /** Microseconds of processor time for each event. */
  sealing: number
  plain: pg.Pool
}

const ask = ({ service, organizations }: World, { path, body, gzip: packed }: Case) =>
  post(
    service,
    organizations[0]!,
    path,
    JSON.stringify({ service: ['all'], start_time: since(), ...body }),
    { 'content-type': 'application/json', ...(packed && { 'accept-encoding': 'gzip' }) },
  )

function plainText({ path, where, limit, group }: Case): string {
  const chosen = `from plain_events where organization_id = $1 and timestamp >= $2 and ${where}`
  if (path === 'events')
    return `select timestamp, id, document ${chosen} order by timestamp, id limit ${limit}`
  if (path === 'events/count') return `select count(*) ${chosen}`
  if (path === 'events/distinct')
    return `select ${group} as key, count(*) ${chosen} and ${group} is not null group by 1 order by 2 desc, 1 limit 10000`
  return `select date_bin('${group}', timestamp, '1970-01-05') as key, count(*) ${chosen} group by 1 order by 1`
}

const askPlain = ({ plain, organizations }: World, one: Case) =>
  plain.query(plainText(one), [organizations[0], since(), ...one.values])

/** Both sides must find the same events, or the faster one may just have found fewer. */
async function checkAnswers(world: World, one: Case): Promise<void> {
  const [ours, theirs] = await Promise.all([ask(world, one), askPlain(world, one)])
  const sum = (counts: Record<string, unknown>[], name: string) =>
    counts.reduce((total, row) => total + Number(row[name]), 0)
  const found =
    one.path === 'events'
      ? [ours.rows, theirs.rows.length]
      : one.path === 'events/count'
        ? [JSON.parse(ours.text).count, sum(theirs.rows, 'count')]
        : [
            ours.bytes < 100_000 ? sum(JSON.parse(ours.text).buckets, 'doc_count') : -1,
            sum(theirs.rows, 'count'),
          ]
  if (found[0] !== found[1] && found[0] !== -1)
    throw new Error(`${one.name}: ${found[0]} events, ${found[1]} in the plain table`)
}

async function exportAll({ service, organizations }: World): Promise<void> {
  let after: unknown
  for (let rows = 0; rows < EXPORTED; rows += 10_000) {
    const body = { service: ['all'], start_time: since(), limit: 10_000, search_after: after }
    const page = await post(service, organizations[0]!, 'events', JSON.stringify(body))
    after = page.after
  }
}

async function exportPlain({ plain, organizations }: World): Promise<void> {
  let after: unknown[] = [since(), '00000000-0000-0000-0000-000000000000']
  for (let rows = 0; rows < EXPORTED; rows += 10_000) {
    const page = await plain.query(
      `select timestamp, id, document from plain_events
        where organization_id = $1 and (timestamp, id) > ($2, $3::uuid) order by timestamp, id limit 10000`,
      [organizations[0], ...after],
    )
    const last = page.rows.at(-1)
    if (!last) return
    after = [last.timestamp, last.id]
  }
}

let batches = 0
/** New events of the last minutes. */
function freshEvents(organizationId: string) {
  const made = [...generate([organizationId], INGESTED, new Date(), ++batches)]
  const start = Date.now() - 240_000
  return made.map((event, at) => {
    const timestamp = new Date(start + Math.floor((at / INGESTED) * 230_000))
    const document = JSON.stringify({ ...JSON.parse(event.document), timestamp })
    return { ...event, timestamp, document }
  })
}

/** The body is prepared beforehand; only sending and storing are timed. */
function ingestPair(world: World): Pair {
  const { service, organizations } = world
  const [organizationId] = organizations.slice(-1) as [string]
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now()
    await work()
    return (INGESTED / (performance.now() - start)) * 1000
  }
  return {
    baseline: async () => {
      const events = freshEvents(organizationId)
      return timed(() => copyEvents(service.dataDir, [organizationId], events))
    },
    ours: async () => {
      const lines = freshEvents(organizationId).map(({ document }) => `${document}\n`)
      const body = await promisify(gzip)(lines.join(''))
      const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
      return timed(async () => {
        const { text } = await post(service, organizationId, 'ingest', body, headers)
        const { stored } = JSON.parse(text) as { stored: number }
        if (stored !== INGESTED) throw new Error(`Only ${stored} events were stored: ${text}`)
      })
    },
  }
}

/** Twelve of the questions that look at every event. */
const HEAVY = ['distinct user names', 'in, 400 values', 'page of 10,000']
const HEAVY_CLIENTS = 12

/** How much a small read of one organization suffers from heavy questions of another, whose client is another process. */
function neighbourPair(world: World, cases: readonly Case[]): Pair {
  const { service, organizations } = world
  const heavy = cases.filter(({ name }) => HEAVY.includes(name))
  const read = (seconds: number) =>
    requestsPerSecond({
      url: `${service.url}/insights/directory/v1/events`,
      method: 'POST',
      headers: {
        ...keyHeader(service.apiKey),
        'x-org-id': organizations.at(-1)!,
        'content-type': 'application/json',
      },
      connections: 1,
      seconds,
      uniqueBody: { service: ['all'], start_time: since(), limit: 10 },
    })
  return {
    baseline: read,
    ours: async (seconds) => {
      let over = false
      const clients = Array.from({ length: HEAVY_CLIENTS }, async (_, client) => {
        for (let turn = client; !over; turn++) await ask(world, heavy[turn % heavy.length]!)
      })
      const rate = await read(seconds)
      over = true
      await Promise.all(clients)
      return rate
    },
  }
}

async function bytesPerEvent({ service }: World): Promise<Row> {
  const { ours, plain } = await asOwner(service.dataDir, async (client) => {
    const { rows } = await client.query(`
      select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'events'::regclass)::float8
               + pg_total_relation_size('event_segments') + pg_total_relation_size('event_frames')
               + pg_total_relation_size('event_columns') as size,
             (select count(*) from events)::float8 + (select sum(events) from event_segments) as events,
             pg_total_relation_size('plain_events')::float8 / (select count(*) from plain_events) as plain`)
    const [{ size, events, plain }] = rows as [{ size: number; events: number; plain: number }]
    return { ours: size / events, plain }
  })
  return {
    name: 'disk, with all indexes',
    unit: 'bytes/event',
    baseline: plain,
    ours,
    ratio: ours / plain,
    goal: `at most ${MAX_BYTES_PER_EVENT}`,
    met: ours <= MAX_BYTES_PER_EVENT,
    rounds: [],
  }
}

/** Seals everything; returns the microseconds of processor time for each event. */
async function timeSealing(dataDir: string, events: number): Promise<number> {
  const db = openDb(connectionsOf(dataDir).service, { max: 2 })
  const spent = async () =>
    process.cpuUsage().user + process.cpuUsage().system + (await postgresMicroseconds(dataDir))
  const before = await spent()
  await sealEvents(db)
  const after = await spent()
  await db.close()
  return (after - before) / events
}

async function load(service: Service, events: number) {
  const say = (text: string) => process.stdout.write(`  ${text}\n`)
  const organizations = await makeOrganizations(service)
  say(`loading ${events.toLocaleString('en')} events …`)
  await loadEvents(service.dataDir, organizations, events)
  const start = performance.now()
  const sealing = await timeSealing(service.dataDir, events)
  await asOwner(service.dataDir, async (client) => {
    await client.query('vacuum full events')
    await client.query('vacuum analyze event_segments, event_frames, event_columns')
  })
  say(`all events sealed in ${Math.round((performance.now() - start) / 1000)} s`)
  return { organizations, sealing }
}

async function openWorld(settings: Settings) {
  const place = settings.dataDir
    ? { dataDir: settings.dataDir, remove: () => {} }
    : temporaryDataDir()
  mkdirSync(place.dataDir, { recursive: true, mode: 0o711 })
  const note = join(place.dataDir, 'bench.json')
  const started = await startService(place.dataDir, profileFlags(settings))
  const close = async () => {
    await started.stop()
    place.remove()
  }
  try {
    if (!existsSync(note)) {
      const loaded = await load(started, settings.events)
      writeFileSync(note, JSON.stringify({ apiKey: started.apiKey, ...loaded }))
    }
    const { apiKey, organizations, sealing } = JSON.parse(readFileSync(note, 'utf8'))
    const plain = new pg.Pool({ ...clientConfig(connectionsOf(place.dataDir).owner), max: CLIENTS })
    const world: World = { service: { ...started, apiKey }, organizations, sealing, plain }
    return {
      world,
      close: async () => {
        await plain.end()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A user who rarely appears, and a cursor in the middle. */
async function examples({ plain, organizations }: World): Promise<Case[]> {
  const rare = await plain.query(
    `select document->'initiated_by'->>'username' as name from plain_events
      where organization_id = $1 and service = 'sso' group by 1 order by count(*), 1 offset 300 limit 1`,
    [organizations[0]],
  )
  const middle = await plain.query(
    `select floor(extract(epoch from timestamp) * 1000)::int8 as time, id from plain_events
      where organization_id = $1 and timestamp > now() - interval '45 days' order by timestamp, id limit 1`,
    [organizations[0]],
  )
  return casesOf(rare.rows[0].name, [middle.rows[0].time, middle.rows[0].id])
}

/** Directory Insights on two million events, against a plain table with a jsonb column and the same index. */
export const insights: Benchmark = {
  name: 'insights',
  async run(settings) {
    const { world, close } = await openWorld(settings)
    const rows: Row[] = []
    const measure = async (name: string, pair: Pair, goal: number | null, unit = 'answers/s') => {
      const result = await compare(pair, settings)
      rows.push({
        name,
        unit,
        ...result,
        multiple: true,
        goal: goal === null ? '–' : `at least ${goal}x`,
        met: goal === null || result.ratio >= goal,
      })
      process.stdout.write(`  ${name}: ${multiple(result.ratio)}\n`)
    }
    try {
      // Before ingest adds events that are not sealed yet.
      rows.push(await bytesPerEvent(world))
      rows.push(atMost('sealing, processor time', 'µs/event', world.sealing, MAX_SEALING_US))
      const cases = await examples(world)
      for (const one of cases) {
        await checkAnswers(world, one)
        const pair = {
          baseline: repeated(() => askPlain(world, one)),
          ours: repeated(() => ask(world, one)),
        }
        await measure(one.name, pair, one.goal)
      }
      const mixed = (askOne: (world: World, one: Case) => Promise<unknown>): Side => {
        let turn = 0
        return repeated(() => askOne(world, cases[turn++ % cases.length]!), CLIENTS)
      }
      await measure(
        `${CLIENTS} clients at once, all of the above in turn`,
        { baseline: mixed(askPlain), ours: mixed(ask) },
        10,
      )
      const share = async (name: string, pair: Pair, goal: number | null, unit = 'answers/s') => {
        const result = await compare(pair, settings)
        const met = goal === null || result.ratio >= goal
        rows.push({ name, unit, ...result, goal: goal ? `at least ${percent(goal)}` : '–', met })
        process.stdout.write(`  ${name}: ${percent(result.ratio)}\n`)
      }
      const page = cases.find(({ name }) => name === 'page of 10,000')!
      const gzipped = {
        baseline: repeated(() => ask(world, page)),
        ours: repeated(() => ask(world, { ...page, gzip: true })),
      }
      await share('page of 10,000 with gzip, against without', gzipped, GZIP_GOAL)
      await share(
        `ten events of another organization, beside ${HEAVY_CLIENTS} heavy questions, against alone`,
        neighbourPair(world, cases),
        null,
      )
      const memory = residentMegabytes(world.service.child.pid!)
      rows.push(atMost('memory of the process after all of these', 'MB', memory, MAX_MEGABYTES))
      await measure(
        'export of 300,000 in pages of 10,000',
        { baseline: repeated(() => exportPlain(world)), ours: repeated(() => exportAll(world)) },
        null,
        'exports/s',
      )
      const ingest = 'ingest, NDJSON with gzip, against COPY'
      await share(ingest, ingestPair(world), INGEST_GOAL, 'events/s')
      return rows
    } finally {
      await close()
    }
  },
}
