import type pg from 'pg'
import { CopyOut, type RowSink } from './copy-out.ts'
import { gather } from './gather.ts'
import { PendingStatement } from './pending-statement.ts'
import { runPipeline } from './pipeline.ts'
import type { Recording } from './recording.ts'
import { inlined, type Sql } from './sql.ts'
import { begin, beginSnapshot, setTenant, type Tenant } from './tenant.ts'
import type { Result, Snapshot } from './types.ts'

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
  gather(client)
  const [, result] = await Promise.all([
    client.query(begin(tenant, timeoutMs)),
    client.query(asConfig(query)),
    client.query('commit'),
  ])
  return result
}

/** COPY cannot be pipelined: it is sent as a simple query, with what belongs around it. */
async function copy(client: pg.ClientBase, text: string, sink: RowSink): Promise<void> {
  const mode = client as pg.ClientBase & { pipeline: boolean }
  mode.pipeline = false
  try {
    const running = new CopyOut(text, sink)
    client.query(running)
    await running.done
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    mode.pipeline = true
  }
}

const copyText = (query: Sql): string => `copy (${inlined(query)}) to stdout (format binary)`

export const runCopyOut = (
  client: pg.ClientBase,
  tenant: Tenant,
  query: Sql,
  sink: RowSink,
): Promise<void> => copy(client, `${begin(tenant)}; ${copyText(query)}; commit`, sink)

/** Inside a transaction. */
export const copyOut = (client: pg.ClientBase, query: Sql, sink: RowSink): Promise<void> =>
  copy(client, copyText(query), sink)

/** Runs `work` in a transaction that only reads. It rejects statements after its end, as `runTransaction`. */
export async function runSnapshot<T>(
  client: pg.ClientBase,
  tenant: string | readonly string[],
  recording: Recording,
  work: (db: Snapshot) => Promise<T>,
): Promise<T> {
  let ended = false
  const whileOpen = <R>(send: () => Promise<R>): Promise<R> =>
    ended ? Promise.reject(new Error('The snapshot has already ended')) : send()
  try {
    await client.query(beginSnapshot(tenant))
    return await work({
      recording,
      many: (query) => whileOpen(async () => (await client.query(asConfig(query))).rows),
      copyOut: (query, sink) => whileOpen(() => copyOut(client, query, sink)),
    })
  } finally {
    ended = true
    // Nothing was written; and after an error there is nothing to commit.
    await client.query('rollback').catch(() => {})
  }
}
