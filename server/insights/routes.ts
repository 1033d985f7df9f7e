import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../platform/db/index.ts'
import { invalid } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import type { EventLimits, Limits } from '../platform/limits.ts'
import type { Pace } from '../platform/pace.ts'
import { isSearchable, SHAPES } from './fields.ts'
import { Deadline } from './query/deadline.ts'
import { EventPage } from './query/event-page.ts'
import { type EventQuery, readEventQuery, readSelection } from './query/event-query.ts'
import { fillSteps, readStep } from './query/intervals.ts'
import { readPage } from './query/page.ts'
import { PageBuffers } from './query/page-buffers.ts'
import { projector } from './query/projection.ts'
import { OPERATORS } from './query/search-tree.ts'
import { countEvents, countPerStep, distinctValues } from './query/sums.ts'
import {
  Count,
  CountRequest,
  Distinct,
  DistinctRequest,
  Events,
  EventsRequest,
  IntervalRequest,
  Intervals,
  Schemas,
} from './schema.ts'

const tags = ['events']
const READ = ['insights', 'insights.readonly']
const tenant = 'several'

const describeSchemas = (): Schemas => ({
  services: Object.entries(SHAPES).map(([name, { fields, free, version }]) => ({
    name,
    free,
    version,
    fields: Object.entries(fields).map(([field, shape]) => ({ name: field, ...shape })),
  })),
  operators: Object.fromEntries(Object.entries(OPERATORS).map(([kind, list]) => [kind, [...list]])),
})

const JSON_TYPE = 'application/json; charset=utf-8'

/** A list as JSON, made element by element: there may be thousands, and other requests wait. */
async function listText<T>(
  list: Iterable<T>,
  pace: Pace,
  shape: (one: T) => unknown = (one) => one,
): Promise<string> {
  const texts: string[] = []
  for (const one of list) {
    texts.push(JSON.stringify(shape(one)))
    const wait = pace.breathe()
    if (wait) await wait
  }
  return `[${texts.join(',')}]`
}

function setHeaders(reply: FastifyReply, query: EventQuery, { rows, last }: EventPage): void {
  const cursor = last ?? query.after
  // Set on `raw` to keep the specification's case: `reply` would send lower case.
  reply.raw.setHeader('X-Result-Count', String(rows))
  reply.raw.setHeader('X-Limit', String(query.limit))
  reply.raw.setHeader('X-Sort', query.sort)
  reply.raw.setHeader('X-Search_after', JSON.stringify(cursor ? [cursor.timestamp, cursor.id] : []))
  reply.removeHeader('x-request-id')
  reply.raw.setHeader('X-Request-Id', reply.request.id)
  reply.type(JSON_TYPE)
}

const bodyOf = (request: FastifyRequest) => request.body as Record<string, unknown>

interface QueryOptions {
  db: Db
  buffers: PageBuffers
  family: 'insights' | 'v2'
  max: EventLimits
  searchSeconds: number
}

/** Queries over audit events. */
const queryRoutes: FastifyPluginAsyncTypebox<QueryOptions> = async (
  app,
  { db, buffers, family, max, searchSeconds },
) => {
  /** Starts the time limit of the request; a client that goes away ends it at once. */
  const search = ({ caller: { tenantIds } }: FastifyRequest, { raw }: FastifyReply) => {
    const deadline = new Deadline(searchSeconds)
    const gone = new AbortController()
    raw.once('close', () => gone.abort())
    return { tenantIds, db: deadline.over(db.tenant(tenantIds)), pace: deadline.pace(gone.signal) }
  }
  const errors = errorsOf(family)
  const legacyId = (name: string) =>
    family === 'insights' ? { operationId: { legacy: `directoryInsights_${name}` } } : {}

  app.post(
    '/events',
    {
      schema: {
        tags,
        summary: 'Query events',
        body: EventsRequest,
        response: { 200: Events, ...errors },
      },
      config: { scopes: READ, tenant, ...legacyId('eventsPost') },
      // Documents are sent as stored; a serializer would parse them.
      serializerCompiler: () => (data) => (typeof data === 'string' ? data : JSON.stringify(data)),
    },
    async (request, reply) => {
      const query = readEventQuery(bodyOf(request), Date.now(), max)
      const { tenantIds, db, pace } = search(request, reply as FastifyReply)
      const buffer = await buffers.take(query.limit, reply.raw, request.caller.homeId)
      const page = new EventPage(buffer)
      await readPage(db, tenantIds, query, page, pace)
      setHeaders(reply, query, page)
      if (query.fields === null) return (reply as FastifyReply).send(page.json())
      const project = projector(query.fields)
      const text = await listText(page.documents(), pace, (one) => project(JSON.parse(one)))
      return (reply as FastifyReply).send(text)
    },
  )

  app.post(
    '/events/count',
    {
      schema: {
        tags,
        summary: 'Count events',
        body: CountRequest,
        response: { 200: Count, ...errors },
      },
      config: { scopes: READ, tenant, ...legacyId('eventsCountPost') },
    },
    async (request, reply) => {
      const selection = readSelection(bodyOf(request), Date.now(), max)
      const { tenantIds, db, pace } = search(request, reply as FastifyReply)
      return { count: await countEvents(db, tenantIds, selection, pace) }
    },
  )

  app.post(
    '/events/distinct',
    {
      schema: {
        tags,
        summary: 'Distinct values of a field',
        body: DistinctRequest,
        response: { 200: Distinct, ...errors },
      },
      config: { scopes: READ, tenant, ...legacyId('eventsDistinctPost') },
    },
    async (request, reply) => {
      const { field } = bodyOf(request)
      if (typeof field !== 'string' || field === '')
        throw invalid('field_missing', 'field is required')
      const { fieldLength } = max
      if (field.length > fieldLength)
        throw invalid('bad_field', `field: a name may have at most ${fieldLength} characters`)
      if (!isSearchable(field))
        throw invalid('unsearchable_field', `field: ${field} cannot be searched`)
      const selection = readSelection(bodyOf(request), Date.now(), max)
      const { tenantIds, db, pace } = search(request, reply as FastifyReply)
      const { buckets, others } = await distinctValues(db, tenantIds, selection, field, pace)
      const counts = { doc_count_error_upper_bound: 0, sum_other_doc_count: others }
      // Clients also look under the field's own name.
      return { buckets, [field]: buckets, ...counts }
    },
  )

  app.post(
    '/events/interval',
    {
      schema: {
        tags,
        summary: 'Count events per time interval',
        body: IntervalRequest,
        response: { 200: Intervals, ...errors },
      },
      config: { scopes: READ, tenant, ...legacyId('eventsIntervalPost') },
    },
    async (request, reply) => {
      const step = readStep(bodyOf(request))
      const selection = readSelection(bodyOf(request), Date.now(), max)
      const { tenantIds, db, pace } = search(request, reply as FastifyReply)
      const counts = await countPerStep(db, tenantIds, selection, step, max.buckets, pace)
      const steps = fillSteps(counts, step, max.buckets)
      const buckets = await listText(steps, pace)
      return (reply as FastifyReply).type(JSON_TYPE).send(`{"buckets":${buckets}}`)
    },
  )
}

/** Directory Insights, and the same queries at the paths of the public service's console. */
const ADDRESSES = [
  { prefix: '/insights/directory/v1', family: 'insights' },
  { prefix: '/api/v2/directoryinsights', family: 'v2' },
] as const

export const insightsRoutes: FastifyPluginAsyncTypebox<{
  db: Db
  limits: Limits
  /** Per request, across all its statements. */
  searchSeconds: number
}> = async (app, { db, limits, searchSeconds }) => {
  // The default, level 11, took 34 times as long on sample events, for a response a fifth smaller.
  const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
  await app.register(compress, { encodings: ['br', 'gzip'], threshold: 1024, brotliOptions })
  const buffers = new PageBuffers(limits)
  for (const address of ADDRESSES)
    await app.register(queryRoutes, { ...address, db, buffers, max: limits.events, searchSeconds })

  app.get(
    '/insights/directory/v1/schema',
    {
      schema: {
        tags,
        summary: 'Fields and operators of every service',
        response: { 200: Schemas, ...errorsOf('insights') },
      },
      config: { scopes: READ, tenant },
    },
    () => describeSchemas(),
  )
}
