import type { Db, Tx } from '../server/platform/db/index.ts'
import { sql } from '../server/platform/db/sql.ts'

/** Waits until another transaction is blocked by this one. */
export async function untilBlocked(db: Db, tx: Tx): Promise<void> {
  const { pid } = (await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`))!
  const waits = () =>
    db.one(sql`select 1 from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`)
  while (!(await waits())) await new Promise((resolve) => setImmediate(resolve))
}
