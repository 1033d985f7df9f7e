import type pg from 'pg'
import { asQuery, CopyOut, type RowSink } from './copy-out.ts'
import { PendingStatement } from './pending-statement.ts'
import { runPipeline } from './pipeline.ts'
import { inlined, type Sql } from './sql.ts'
import { begin, setTenant, type Tenant } from './tenant.ts'
import type { Result } from './types.ts'

export const asConfig = ({ text, values, name }: Sql): pg.QueryConfig =>
  name ? { text, values, name } : { text, values }

/** A single statement in one round trip: everything is sent before the first result arrives. */
export async function runStatement(
  client: pg.ClientBase,
  tenant: Tenant,
  query: Sql,
  timeoutMs?: number,
): Promise<Result> {
  if (tenant === null && timeoutMs === undefined) return client.query(asConfig(query))
  if (tenant !== null && query.name !== undefined && timeoutMs === undefined) {
    const statement = new PendingStatement(query)
    const { error } = await runPipeline(client, setTenant(tenant), [statement])
    if (error) throw error
    statement.settle()
    return statement.result
  }
  const [, result] = await Promise.all([
    client.query(begin(tenant, timeoutMs)),
    client.query(asConfig(query)),
    client.query('commit'),
  ])
  return result
}

/** COPY cannot be pipelined: transaction and statement are sent as one simple query. */
export async function runCopyOut(
  client: pg.ClientBase,
  tenant: Tenant,
  query: Sql,
  sink: RowSink,
): Promise<void> {
  const mode = client as pg.ClientBase & { pipeline: boolean }
  mode.pipeline = false
  try {
    const text = `${begin(tenant)}; copy (${inlined(query)}) to stdout (format binary); commit`
    const copy = new CopyOut(text, sink)
    client.query(asQuery(copy))
    await copy.done
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    mode.pipeline = true
  }
}
