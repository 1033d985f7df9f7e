import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Db } from './db.ts'
import { schemaVersion } from './migrate.ts'
import { sql } from './sql.ts'

const Status = Type.Object({ status: Type.String(), reason: Type.Optional(Type.String()) })
/** What the operator should look at, though the process works. */
const Alive = Type.Object({
  status: Type.String(),
  warnings: Type.Optional(Type.Array(Type.String())),
})

/** /healthz: the process lives. /readyz: the database answers and its schema is ours. */
export function registerHealth(app: FastifyInstance, db: Db, warnings: readonly string[]): void {
  const open = { public: true as const }
  const wanted = schemaVersion()
  app.get('/healthz', { schema: { response: { 200: Alive } }, config: open }, () => ({
    status: 'ok',
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  }))
  app.get(
    '/readyz',
    { schema: { response: { 200: Status, 503: Status } }, config: open },
    async (_, reply) => {
      try {
        const row = await db.one<{ version: number }>(
          sql`select max(version) as version from schema_migrations`,
        )
        if (row && row.version >= wanted) return { status: 'ready' }
        return reply.code(503).send({ status: 'waiting', reason: 'migrations have not run' })
      } catch {
        return reply.code(503).send({ status: 'waiting', reason: 'the database does not answer' })
      }
    },
  )
}
