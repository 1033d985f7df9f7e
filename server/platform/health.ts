import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Db } from './db/index.ts'
import { schemaVersion } from './db/migrate.ts'
import { sql } from './db/sql.ts'
import { errorsOf } from './http/errors.ts'
import { failuresByQueue } from './jobs/failures.ts'
import { countWaiting } from './mail.ts'
import type { Storage } from './storage.ts'

const Status = Type.Object({
  status: Type.String(),
  reason: Type.Optional(Type.String()),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Problems that need attention but do not affect readiness',
    }),
  ),
})
const Readiness = Type.Object({
  ...Status.properties,
  details: Type.Optional(
    Type.Object({
      region: Type.String(),
      mail: Type.Enum(['configured', 'not configured']),
      waitingMails: Type.Integer({ description: 'Kept until there is a mail server, or held' }),
    }),
  ),
})
const Wanted = Type.Object({
  for: Type.Optional(
    Type.Enum(['reads'], {
      description: 'With `reads` a process is ready even if the database is read-only',
    }),
  ),
})

const STORAGE_FULL = 'storage_full: the database disk is full; writes fail'

interface HealthParts {
  db: Db
  storage: Storage
  /** Problems detected by this process. */
  warnings: readonly string[]
  /** Queues whose failures concern an organization only. */
  partnerQueues: readonly string[]
  sendsMail: boolean
  region: string
}

async function warningsOf(parts: HealthParts): Promise<string[]> {
  const { db, storage, warnings, partnerQueues } = parts
  const [space, queues] = await Promise.all([storage.warning(), failuresByQueue(db, partnerQueues)])
  return [
    ...warnings,
    ...(space === null ? [] : [space]),
    ...queues.map(({ queue, failed }) => `failed jobs of ${queue}: ${failed}`),
  ]
}

async function detailsOf({ db, region, sendsMail }: HealthParts) {
  const { kept, held } = await countWaiting(db)
  const mail = sendsMail ? ('configured' as const) : ('not configured' as const)
  return { region, mail, waitingMails: kept + held }
}

/** Why this process should not receive requests, or null. */
async function obstacle({ db, storage }: HealthParts, reads: boolean): Promise<string | null> {
  try {
    const row = await db.one<{ version: number }>(
      sql`select max(version) as version from schema_migrations`,
    )
    if (!row || row.version < schemaVersion()) return 'pending migrations'
  } catch {
    return (await storage.isExhausted()) ? STORAGE_FULL : 'the database is unreachable'
  }
  return !reads && (await storage.isFull()) ? STORAGE_FULL : null
}

/** /healthz: the process is alive. /readyz: the database is reachable, migrated and writable. */
export function registerHealth(app: FastifyInstance, parts: HealthParts): void {
  const open = { public: true as const }
  app.get('/healthz', { schema: { response: { 200: Status } }, config: open }, () => ({
    status: 'ok',
    ...(parts.warnings.length > 0 && { warnings: [...parts.warnings] }),
  }))
  app.get<{ Querystring: { for?: 'reads' } }>(
    '/readyz',
    {
      schema: {
        querystring: Wanted,
        response: { 200: Readiness, 503: Status, '4xx': errorsOf('v1')['4xx'] },
      },
      config: open,
    },
    async (request, reply) => {
      if (app.drain.begun) return reply.code(503).send({ status: 'stopping' })
      const reason = await obstacle(parts, request.query.for === 'reads')
      if (reason !== null) {
        return reply.code(503).header('retry-after', '5').send({ status: 'waiting', reason })
      }
      const warnings = await warningsOf(parts).catch(() => [])
      const details = await detailsOf(parts).catch(() => undefined)
      return {
        status: 'ready',
        ...(warnings.length > 0 && { warnings }),
        ...(details && { details }),
      }
    },
  )
}
