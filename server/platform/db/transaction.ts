import type pg from 'pg'
import { gather } from './gather.ts'
import type { Recording } from './recording.ts'
import type { Sql } from './sql.ts'
import { asConfig, copyOut } from './statement.ts'
import { begin, type Tenant } from './tenant.ts'
import { queryable, type Tx } from './types.ts'

/**
 * Runs `work` in a transaction on the client. Once it starts to commit or roll back, its Tx rejects statements: a late
 * one would run outside any transaction, or on a connection that already serves another request.
 */
export async function runTransaction<T>(
  client: pg.ClientBase,
  tenant: Tenant,
  timeoutMs: number | undefined,
  recording: Recording,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const callbacks: (() => void)[] = []
  let ended = false
  const whileOpen = <R>(send: () => Promise<R>): Promise<R> =>
    ended ? Promise.reject(new Error('The transaction has already ended')) : send()
  const tx: Tx = {
    recording,
    ...queryable((query: Sql) => whileOpen(() => client.query(asConfig(query)))),
    execute: (text, values) => whileOpen(() => client.query(text, values)),
    copyOut: (query, sink) => whileOpen(() => copyOut(client, query, sink)),
    afterCommit: (callback) => callbacks.push(callback),
  }
  gather(client)
  const started = client.query(begin(tenant, timeoutMs))
  // The first query is sent without waiting; if begin fails, so does that query.
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
