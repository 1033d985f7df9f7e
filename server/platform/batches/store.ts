import type { Queryable } from '../db/index.ts'
import { sql } from '../db/sql.ts'
import { type Paging, readPlainPage } from '../list/page.ts'

type BatchState = 'queued' | 'running' | 'waiting' | 'finished' | 'failed' | 'cancelled'

export interface BatchKey {
  organization_id: string
  id: string
}

export interface BatchSummary {
  total: number
  failed: number
}

export interface Batch extends BatchKey {
  kind: string
  state: BatchState
  /** The options of its kind. */
  input: object
  /** The actor, as the slice of its kind stores it. */
  started_by: object
  /** What its kind notes on the way. */
  notes: object
  total: number
  summary: BatchSummary | null
  error: string | null
  created: string
  updated: string
  started_at: string | null
  finished_at: string | null
}

export const insertBatch = (
  tx: Queryable,
  batch: BatchKey & Pick<Batch, 'kind' | 'input' | 'started_by'>,
) =>
  tx.run(sql`
    insert into batches (organization_id, id, kind, input, started_by)
    values (${batch.organization_id}, ${batch.id}, ${batch.kind}, ${JSON.stringify(batch.input)},
            ${JSON.stringify(batch.started_by)})`)

export const findBatch = (db: Queryable, organizationId: string, id: string) =>
  db.one<Batch>(sql`select * from batches where organization_id = ${organizationId} and id = ${id}`)

export const lockBatch = (tx: Queryable, { organization_id, id }: BatchKey) =>
  tx.one<Batch>(
    sql`select * from batches where organization_id = ${organization_id} and id = ${id} for update`,
  )

/** The newest first; `input`: only those whose options contain it. */
export const listBatches = (
  db: Queryable,
  organizationId: string,
  { kind, input = {} }: { kind: string | readonly string[]; input?: object },
  paging: Paging,
) =>
  readPlainPage<Batch>(
    db,
    sql`batches where organization_id = ${organizationId} and kind = any(${[kind].flat()}) and input @> ${JSON.stringify(input)}`,
    sql`created desc, id desc`,
    paging,
  )

/** The batch, unless it is in none of the states `from`. */
export const moveBatch = (
  tx: Queryable,
  { organization_id, id }: BatchKey,
  from: readonly BatchState[],
  to: BatchState,
  { summary = null, error = null }: { summary?: BatchSummary | null; error?: string | null } = {},
) =>
  tx.one<Batch>(sql`
    update batches
       set state = ${to}, summary = ${summary && JSON.stringify(summary)}, error = ${error}, updated = now(),
           started_at = case when ${to} = 'running' then coalesce(started_at, now()) else started_at end,
           finished_at = case when ${to} in ('finished', 'failed', 'cancelled') then now() end
     where organization_id = ${organization_id} and id = ${id} and state = any(${from})
    returning *`)

export const purgeBatches = (tx: Queryable, organizationId: string, kind: string, before: Date) =>
  tx.run(
    sql`delete from batches where organization_id = ${organizationId} and kind = ${kind} and created < ${before}`,
  )

/** The batch, when it is ours to run: queued, or running when an earlier run was interrupted. */
export const startBatch = (tx: Queryable, batch: BatchKey) =>
  moveBatch(tx, batch, ['queued', 'running'], 'running')

export const noteBatch = (tx: Queryable, { organization_id, id }: BatchKey, notes: object) =>
  tx.run(sql`
    update batches set notes = notes || ${JSON.stringify(notes)}::jsonb, updated = now()
     where organization_id = ${organization_id} and id = ${id}`)
