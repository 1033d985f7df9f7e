import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Db } from './db/index.ts'
import { schemaVersion } from './db/migrate.ts'
import { sql } from './db/sql.ts'
import { errorsOf } from './http/errors.ts'
import { failuresByQueue } from './jobs/failures.ts'
import type { Storage } from './storage.ts'

const Status = Type.Object({
  status: Type.String(),
  reason: Type.Optional(Type.String()),
  warnings: Type.Optional(
    Type.Array(Type.String(), { description: 'What somebody should look at; served nevertheless' }),
  ),
})
const Wanted = Type.Object({
  for: Type.Optional(
    Type.Enum(['reads'], {
      description: 'With `reads` a process is ready although nothing can be written',
    }),
  ),
})

const STORAGE_FULL = 'storage_full: the disk of the database is full, nothing can be written'

interface HealthParts {
  db: Db
  storage: Storage
  /** What this process noticed by itself. */
  warnings: readonly string[]
}

async function warningsOf({ db, storage, warnings }: HealthParts): Promise<string[]> {
  const [space, queues] = await Promise.all([storage.warning(), failuresByQueue(db)])
  return [
    ...warnings,
    ...(space === null ? [] : [space]),
    ...queues.map(({ queue, failed }) => `failed jobs of ${queue}: ${failed}`),
  ]
}

/** Why this process should get no requests, or null. */
async function obstacle({ db, storage }: HealthParts, reads: boolean): Promise<string | null> {
  try {
    const row = await db.one<{ version: number }>(
      sql`select max(version) as version from schema_migrations`,
    )
    if (!row || row.version < schemaVersion()) return 'migrations have not run'
  } catch {
    return (await storage.isExhausted()) ? STORAGE_FULL : 'the database does not answer'
  }
  return !reads && (await storage.isFull()) ? STORAGE_FULL : null
}

/** /healthz: the process lives. /readyz: the database answers, its schema is ours, and it can be written to. */
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
        response: { 200: Status, 503: Status, '4xx': errorsOf('v1')['4xx'] },
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
      return { status: 'ready', ...(warnings.length > 0 && { warnings }) }
    },
  )
}
