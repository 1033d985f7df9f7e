import type pg from 'pg'
import type { Sql } from './sql.ts'
import { asConfig } from './statement.ts'
import { begin, type Tenant } from './tenant.ts'
import { queryable, type Tx } from './types.ts'

/**
 * Runs `work` in a transaction on the client. Once it has begun to commit or roll back, its Tx refuses statements: a
 * late one would run on a connection that belongs to another request by then, or outside any transaction.
 */
export async function runTransaction<T>(
  client: pg.ClientBase,
  tenant: Tenant,
  timeoutMs: number | undefined,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const callbacks: (() => void)[] = []
  let ended = false
  const whileOpen = <R>(send: () => Promise<R>): Promise<R> =>
    ended
      ? Promise.reject(new Error('The transaction has ended; this statement came too late'))
      : send()
  const tx: Tx = {
    ...queryable((query: Sql) => whileOpen(() => client.query(asConfig(query)))),
    execute: (text, values) => whileOpen(() => client.query(text, values)),
    afterCommit: (callback) => callbacks.push(callback),
  }
  const started = client.query(begin(tenant, timeoutMs))
  // The work's first query follows without waiting; a failed begin fails that query, too.
  started.catch(() => {})
  let result: T
  try {
    result = await work(tx)
    await started
  } catch (error) {
    ended = true
    await client.query('rollback').catch(() => {})
    throw error
  }
  ended = true
  await client.query('commit')
  for (const callback of callbacks) callback()
  return result
}
