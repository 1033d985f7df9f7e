import type { Queryable } from '../db/index.ts'
import { empty, type Sql, sql } from '../db/sql.ts'
import { type Paging, readPlainPage } from '../list/page.ts'
import type { BatchKey, BatchSummary } from './store.ts'

export interface BatchRow {
  organization_id: string
  batch_id: string
  position: number
  id: string
  key: string | null
  status: 'Pending' | 'Finished'
  status_msg: string
  success: boolean | null
  input: Record<string, unknown>
  secret: string | null
  result: Record<string, unknown>
  created: string
  updated: string
}

export interface RowResult {
  success: boolean
  message: string
  result: object
}

/** What a sealed secret is bound to. Values from before there were other kinds than bulk requests are too. */
export const rowSecretContext = (rowId: string): string => `bulk ${rowId} password`

/** A row to add. One that needs no work comes with its result. */
interface NewRow {
  id: string
  key?: string
  input: object
  secret?: string | null
  finished?: RowResult
}

/**
 * Adds rows after the existing ones and returns how many: none when the batch has ended. The update of the batch locks
 * it, so that two callers do not take the same positions.
 */
export const appendRows = (
  tx: Queryable,
  { organization_id, id }: BatchKey,
  rows: readonly NewRow[],
) =>
  tx.run(sql`
    with open as (
      update batches set total = total + ${rows.length}::int, updated = now()
       where organization_id = ${organization_id} and id = ${id} and state in ('queued', 'running', 'waiting')
      returning total - ${rows.length}::int as before
    )
    insert into batch_rows (organization_id, batch_id, position, id, key, input, secret, status, success, status_msg, result)
    select ${organization_id}, ${id}, open.before + r.place, r.value ->> 'id', r.value ->> 'key', r.value -> 'input',
           r.value ->> 'secret', case when f.success is null then 'Pending' else 'Finished' end, f.success,
           coalesce(f.message, ''), coalesce(f.result, '{}')
      from open, jsonb_array_elements(${JSON.stringify(rows)}::jsonb) with ordinality as r (value, place),
           jsonb_to_record(coalesce(r.value -> 'finished', '{}')) as f (success boolean, message text, result jsonb)`)

/**
 * Those of the keys that a row of the batch has. A subquery for each key: without statistics of new rows the planner
 * would join all of the batch.
 */
export const knownKeys = async (
  db: Queryable,
  { organization_id, id }: BatchKey,
  keys: readonly string[],
): Promise<Set<string>> => {
  const rows = await db.many<{ key: string }>(sql`
    select k as key from unnest(${keys}::text[]) as k
     where (select true from batch_rows
             where organization_id = ${organization_id} and batch_id = ${id} and key = k)`)
  return new Set(rows.map(({ key }) => key))
}

/** Replaces the rows with these keys. */
const replaceRows = (tx: Queryable, { organization_id, id }: BatchKey, rows: readonly NewRow[]) =>
  tx.run(sql`
    update batch_rows b
       set input = r.value -> 'input', updated = now(), success = f.success,
           status = case when f.success is null then 'Pending' else 'Finished' end,
           status_msg = coalesce(f.message, ''), result = coalesce(f.result, '{}')
      from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) as r (value),
           jsonb_to_record(coalesce(r.value -> 'finished', '{}')) as f (success boolean, message text, result jsonb)
     where b.organization_id = ${organization_id} and b.batch_id = ${id} and b.key = r.value ->> 'key'`)

/** Adds rows; one whose key is already there takes its place. False when the batch has ended. */
export async function saveRows(
  tx: Queryable,
  batch: BatchKey,
  rows: readonly NewRow[],
): Promise<boolean> {
  const byKey = new Map(rows.map((row) => [row.key ?? row, row]))
  const keys = rows.flatMap(({ key }) => key ?? [])
  const known = await knownKeys(tx, batch, keys)
  const isKnown = ({ key }: NewRow) => key !== undefined && known.has(key)
  const replaced = [...byKey.values()].filter(isKnown)
  const added = [...byKey.values()].filter((row) => !isKnown(row))
  if (replaced.length > 0) await replaceRows(tx, batch, replaced)
  return (await appendRows(tx, batch, added)) === added.length
}

/** Of a batch that starts over. */
export async function deleteRows(tx: Queryable, { organization_id, id }: BatchKey): Promise<void> {
  await tx.run(sql`
    delete from batch_rows where organization_id = ${organization_id} and batch_id = ${id}`)
  await tx.run(sql`
    update batches set total = 0 where organization_id = ${organization_id} and id = ${id}`)
}

/** The next pending rows; none when the batch is not running, such as after it was cancelled. */
export const pendingRows = (
  db: Queryable,
  { organization_id, id }: BatchKey,
  { after, keys }: { after: number; keys?: readonly string[] | undefined },
  limit: number,
) =>
  db.many<BatchRow>(sql`
    select r.* from batches b
      join batch_rows r on r.organization_id = b.organization_id and r.batch_id = b.id
     where b.organization_id = ${organization_id} and b.id = ${id} and b.state = 'running'
       and r.organization_id = ${organization_id} and r.batch_id = ${id} and r.position > ${after}
       and r.status = 'Pending' ${keys ? sql`and r.key = any(${keys}::text[])` : empty}
     order by r.position limit ${limit}`)

type PlacedResult = RowResult & Pick<BatchRow, 'position'>

const saveWhere = (
  tx: Queryable,
  { organization_id, id }: BatchKey,
  rows: readonly PlacedResult[],
  condition: Sql,
) =>
  // The positions come twice: without statistics of new rows the planner would join all of the batch.
  tx.run(sql`
    update batch_rows b
       set status = 'Finished', success = r.success, status_msg = r.message, result = r.result, secret = null,
           updated = now()
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
             as r (position integer, success boolean, message text, result jsonb)
     where b.organization_id = ${organization_id} and b.batch_id = ${id} and b.position = r.position
       and b.position = any(${rows.map(({ position }) => position)}::int[]) ${condition}`)

/** Returns how many: less than all when another run has finished some, or the batch is no longer running. */
export const finishRows = (tx: Queryable, batch: BatchKey, rows: readonly PlacedResult[]) =>
  saveWhere(
    tx,
    batch,
    rows,
    sql`and b.status = 'Pending' and exists (
      select from batches
       where organization_id = ${batch.organization_id} and id = ${batch.id} and state = 'running')`,
  )

export const reopenFailedRows = (tx: Queryable, { organization_id, id }: BatchKey) =>
  tx.run(sql`
    update batch_rows
       set status = 'Pending', status_msg = '', success = null, result = '{}', updated = now()
     where organization_id = ${organization_id} and batch_id = ${id} and not success`)

export const deleteSecrets = (tx: Queryable, { organization_id, id }: BatchKey) =>
  tx.run(sql`
    update batch_rows set secret = null
     where organization_id = ${organization_id} and batch_id = ${id} and secret is not null`)

/** The progress of a batch. Each number has an index of its own, since rows are many and large. */
export const countRows = async (
  db: Queryable,
  { organization_id, id }: BatchKey,
): Promise<BatchSummary & { pending: number }> => {
  const rows = sql`select count(*) from batch_rows where organization_id = ${organization_id} and batch_id = ${id}`
  return (await db.one(sql`
    select total, (${rows} and status = 'Pending') as pending, (${rows} and not success) as failed
      from batches where organization_id = ${organization_id} and id = ${id}`))!
}

/** In their order; `success`: only finished rows with that outcome. */
export const listRows = (
  db: Queryable,
  { organization_id, id }: BatchKey,
  { status, success }: Partial<Pick<BatchRow, 'status' | 'success'>>,
  paging: Paging,
) =>
  readPlainPage<BatchRow>(
    db,
    sql`batch_rows where organization_id = ${organization_id} and batch_id = ${id}
      ${status === undefined ? empty : sql`and status = ${status}`}
      ${success === undefined ? empty : sql`and success = ${success}`}`,
    sql`position`,
    paging,
  )

/** Replaces the results of finished rows, or finishes rows without running them. */
export const saveResults = (tx: Queryable, batch: BatchKey, rows: readonly PlacedResult[]) =>
  saveWhere(tx, batch, rows, empty)

/** The rows that succeeded, one page after the other. */
export const succeededRows = (
  db: Queryable,
  { organization_id, id }: BatchKey,
  before: number,
  limit: number,
) =>
  db.many<BatchRow>(sql`
    select * from batch_rows
     where organization_id = ${organization_id} and batch_id = ${id} and success and position < ${before}
     order by position desc limit ${limit}`)
