import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Db } from '../platform/db/index.ts'
import { errorsOf } from '../platform/http/errors.ts'
import type { Limits } from '../platform/limits.ts'
import { ListQueryV2, readListV2 } from '../platform/list/query.ts'
import { countAttention, retryJob, searchEverything } from './actions.ts'
import { readActivity } from './activity.ts'
import { jobResource, readJobs } from './job-store.ts'
import { describeProvider } from './provider.ts'
import { Activity, Attention, OrganizationJob, ProviderOverview, SearchHit } from './schema.ts'
import { COUNTS, FINDERS } from './store.ts'

const errors = errorsOf('v2')
const tags = ['overview']
const params = Type.Object({ id: Type.String() })
const anyOf = (parts: object) => Object.keys(parts).flatMap((scope) => [scope, `${scope}.readonly`])

/** Answers about an organization as a whole, across its kinds of records. */
export const overviewRoutes: FastifyPluginAsyncTypebox<{
  db: Db
  /** For searches in events, which may take longer. */
  searchDb: Db
  searchSeconds: number
  limits: Limits
}> = async (app, { db, searchDb, searchSeconds, limits }) => {
  app.get(
    '/attention',
    {
      schema: {
        tags,
        summary: 'Count records, and those that may need an administrator',
        description: 'Counts of records that the caller may not read are left out.',
        response: { 200: Attention, ...errors },
      },
      config: { scopes: anyOf(COUNTS) },
    },
    ({ caller }) => countAttention(db, caller),
  )
  app.get(
    '/activity',
    {
      schema: {
        tags,
        summary: 'Count the events and sign-ins of the last days',
        querystring: Type.Object({
          timezone: Type.Optional(
            Type.String({ description: 'Offset such as -0500, where steps begin', maxLength: 6 }),
          ),
        }),
        response: { 200: Activity, ...errors },
      },
      config: { scopes: ['insights', 'insights.readonly'] },
    },
    ({ caller, query }) =>
      readActivity(searchDb, caller, {
        ...query,
        now: Date.now(),
        max: limits.events,
        searchSeconds,
      }),
  )
  app.get(
    '/providers/:provider_id/overview',
    {
      schema: {
        tags: ['providers'],
        summary:
          'The organizations of a provider that the caller can access, with their size and problems',
        params: Type.Object({ provider_id: Type.String() }),
        response: { 200: ProviderOverview, ...errors },
      },
      config: { scopes: ['providers', 'providers.readonly'], tenant: 'home' },
    },
    ({ caller, params }) => describeProvider(db, caller, params.provider_id),
  )
  app.get(
    '/search',
    {
      schema: {
        tags,
        summary: 'Find records of every kind by name, e-mail address or id',
        description:
          'Records that contain every word, at most five of each kind: users, groups, systems, applications and administrators, as far as the caller may read them.',
        querystring: Type.Object({
          q: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
        }),
        response: { 200: Type.Array(SearchHit), ...errors },
      },
      config: { scopes: anyOf(FINDERS) },
    },
    ({ caller, query }) => searchEverything(db, caller, query.q),
  )
  app.get(
    '/jobs',
    {
      schema: {
        tags,
        summary: 'List imports, bulk jobs and reports, and background work that failed',
        description: 'Newest first. Only work that is about the organization.',
        querystring: Type.Pick(ListQueryV2, ['filter', 'limit', 'search', 'skip', 'sort']),
        response: { 200: Type.Array(OrganizationJob), ...errors },
      },
      config: { scopes: ['organizations', 'organizations.readonly'] },
    },
    async ({ caller: { organizationId }, query }, reply) => {
      const list = readListV2(jobResource, query, limits.list)
      const page = await readJobs(db.tenant(organizationId), organizationId, list)
      return reply.header('x-total-count', page.totalCount).send(page.results)
    },
  )
  app.post(
    '/jobs/:id/retry',
    {
      schema: {
        tags,
        summary: 'Try failed background work again, now',
        params,
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: ['organizations'] },
    },
    async ({ caller, params }, reply) => {
      await retryJob(db, caller, params.id)
      return reply.code(204).send(null)
    },
  )
}
