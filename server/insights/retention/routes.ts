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
    days: Type.Integer({ description: 'Events older than this are dropped nightly' }),
    default: Type.Integer({ description: 'Applies when no retention is set' }),
  },
  { title: 'Retention' },
)
const RetentionPut = Type.Object(
  {
    days: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: MAX_RETENTION_DAYS,
      description: 'Null restores the default',
    }),
  },
  { title: 'RetentionPut' },
)

const toRetention = (days: number) => ({ days, default: DEFAULT_RETENTION_DAYS })

/** Event retention of an organization or, for events of its portal, a provider. */
export const retentionRoutes: FastifyPluginAsyncTypebox<{ db: Db; minDays: number }> = async (
  app,
  { db, minDays },
) => {
  app.get(
    '/retention',
    {
      schema: {
        tags,
        summary: 'Get the event retention',
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
        summary: 'Change the event retention',
        description:
          'A setting of the organization, hence its scope. A shorter retention takes effect within a day; dropped events cannot be restored. Fewer than 7 days must be allowed by the operator (GATEHOUSE_MIN_RETENTION_DAYS).',
        body: RetentionPut,
        response: { 200: Retention, ...errors },
      },
      config: { scopes: ['organizations', 'providers'], tenant },
    },
    async (request) =>
      toRetention(await changeRetention(db, request.caller, request.body.days, minDays)),
  )
}
