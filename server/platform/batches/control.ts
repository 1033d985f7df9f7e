import type { Tx } from '../db/index.ts'
import { countRows, deleteSecrets, reopenFailedRows } from './row-store.ts'
import { type BatchKey, lockBatch, moveBatch } from './store.ts'

// Each returns false when the state of the batch does not allow it.

/** Finished rows keep their results; the others stay pending. */
export async function cancelBatch(tx: Tx, batch: BatchKey): Promise<boolean> {
  const open = ['queued', 'running', 'waiting'] as const
  if (!(await moveBatch(tx, batch, open, 'cancelled'))) return false
  await deleteSecrets(tx, batch)
  return true
}

/** Stops the batch until someone confirms it. */
export const holdBatch = async (tx: Tx, batch: BatchKey): Promise<boolean> =>
  (await moveBatch(tx, batch, ['queued', 'running'], 'waiting')) !== undefined

/** The caller sends the job that runs it. */
export const confirmBatch = async (tx: Tx, batch: BatchKey): Promise<boolean> =>
  (await moveBatch(tx, batch, ['waiting'], 'queued')) !== undefined

/** Ends a batch that cannot go on, such as one whose source is gone. */
export const failBatch = async (tx: Tx, batch: BatchKey, error: string): Promise<boolean> =>
  (await moveBatch(tx, batch, ['queued', 'running'], 'failed', { error })) !== undefined

/**
 * Queues the failed rows again, and with a failed batch the pending ones; the caller sends the job. Not for kinds with
 * secrets, which are deleted with the first result.
 */
export async function retryBatch(tx: Tx, batch: BatchKey): Promise<boolean> {
  const { state } = (await lockBatch(tx, batch)) ?? {}
  if (state !== 'finished' && state !== 'failed') return false
  const rows = await reopenFailedRows(tx, batch)
  if (rows === 0 && state === 'finished') return false
  return (await moveBatch(tx, batch, [state], 'queued')) !== undefined
}

/** Ends a batch all of whose rows came with their results. */
export async function finishUnrun(tx: Tx, batch: BatchKey): Promise<boolean> {
  const { total, failed } = await countRows(tx, batch)
  const summary = { total, failed }
  return (await moveBatch(tx, batch, ['running'], 'finished', { summary })) !== undefined
}
