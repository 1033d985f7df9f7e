import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Db } from '../../platform/db/index.ts'
import { errorsOf } from '../../platform/http/errors.ts'
import {
  changeRetention,
  DEFAULT_RETENTION_DAYS,
  MAX_RETENTION_DAYS,
  retentionDays,
} from './retention.ts'

const errors = errorsOf('insights')
const tags = ['events']
const tenant = 'header-or-provider'

const Retention = Type.Object(
  {
    days: Type.Integer({ description: 'Events older than this are dropped, once a night' }),
    default: Type.Integer({ description: 'What holds for those who have not chosen' }),
  },
  { title: 'Retention' },
)
const RetentionPut = Type.Object(
  {
    days: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: MAX_RETENTION_DAYS,
      description: 'Null goes back to the default',
    }),
  },
  { title: 'RetentionPut' },
)

const toRetention = (days: number) => ({ days, default: DEFAULT_RETENTION_DAYS })

/** For how long an organization, or a provider for events of its portal, keeps its events. */
export const retentionRoutes: FastifyPluginAsyncTypebox<{ db: Db; minDays: number }> = async (
  app,
  { db, minDays },
) => {
  app.get(
    '/retention',
    {
      schema: {
        tags,
        summary: 'For how long events are kept',
        response: { 200: Retention, ...errors },
      },
      config: { scopes: ['insights', 'insights.readonly'], tenant },
    },
    async (request) => toRetention(await retentionDays(db, request.caller.organizationId)),
  )

  app.put(
    '/retention',
    {
      schema: {
        tags,
        summary: 'Keep events for a shorter or longer time',
        description:
          'A setting of the organization, hence its scope. A shorter time takes effect within a day; what was dropped does not come back. Fewer than 7 days must be allowed by the operator (GATEHOUSE_MIN_RETENTION_DAYS).',
        body: RetentionPut,
        response: { 200: Retention, ...errors },
      },
      config: { scopes: ['organizations', 'providers'], tenant },
    },
    async (request) =>
      toRetention(await changeRetention(db, request.caller, request.body.days, minDays)),
  )
}
