import type { Batch, BatchKey } from '../platform/batches/store.ts'
import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import { IMPORT, type RowInput } from './job.ts'
import type { SourceKey } from './link-store.ts'
import { ACTIONS, type Action } from './schema.ts'

interface Claim {
  position: number
  externalId: string | null
  /** The external id of the first row with the same value. */
  holder: string
}

/** All but the first of the rows with the same value: two records of the source claim to be one user. */
const repeated = (db: Queryable, { organization_id, id }: BatchKey, value: Sql) =>
  db.many<Claim>(sql`
    select position, "externalId", holder from (
      select position, key as "externalId", row_number() over claims as place, first_value(key) over claims as holder
        from batch_rows
       where organization_id = ${organization_id} and batch_id = ${id}
         and input -> 'plan' ->> 'action' not in ('park', 'skip') and result ->> 'reason' is null and ${value} is not null
      window claims as (partition by ${value} order by position)) claimed
     where place > 1`)

const VALUES = {
  user: sql`(input -> 'plan' ->> 'userId')`,
  email: sql`lower(input -> 'write' ->> 'email')`,
  username: sql`fold(input -> 'write' ->> 'username')`,
  employeeIdentifier: sql`nullif(input -> 'write' ->> 'employeeIdentifier', '')`,
}

export const repeatedRows = (db: Queryable, batch: BatchKey, field: keyof typeof VALUES) =>
  repeated(db, batch, VALUES[field])

/**
 * Rows without a change, of users whose manager comes with the same job. In steps: a join would compare each row with
 * each, because the planner has no statistics of rows that are so new.
 */
export async function managedByNew(
  db: Queryable,
  { organization_id, id }: BatchKey,
): Promise<RowInput[]> {
  const unchanged = await db.many<{ position: number; manager: string }>(sql`
    select position, input ->> 'manager' as manager from batch_rows
     where organization_id = ${organization_id} and batch_id = ${id}
       and input -> 'plan' ->> 'action' = 'none' and input ->> 'manager' is not null`)
  if (unchanged.length === 0) return []
  const created = await db.many<{ key: string }>(sql`
    select key from batch_rows
     where organization_id = ${organization_id} and batch_id = ${id} and input -> 'plan' ->> 'action' = 'create'
       and key = any(${[...new Set(unchanged.map(({ manager }) => manager))]}::text[])`)
  const keys = new Set(created.map(({ key }) => key))
  const managed = unchanged.filter(({ manager }) => keys.has(manager))
  const rows = await db.many<{ input: RowInput }>(sql`
    select input from batch_rows
     where organization_id = ${organization_id} and batch_id = ${id}
       and position = any(${managed.map(({ position }) => position)}::int[])`)
  return rows.map(({ input }) => input)
}

/** The rows by action, and how many are about users of the directory. */
export async function countPlanned(
  db: Queryable,
  { organization_id, id }: BatchKey,
): Promise<{ counts: Record<Action, number>; matched: number }> {
  const rows = await db.many<{ action: Action; rows: number; matched: number }>(sql`
    select coalesce(result ->> 'action', input -> 'plan' ->> 'action') as action, count(*) as rows,
           count(*) filter (where input -> 'plan' ->> 'userId' is not null) as matched
      from batch_rows where organization_id = ${organization_id} and batch_id = ${id} group by 1`)
  const counts = Object.fromEntries(ACTIONS.map((action) => [action, 0])) as Record<Action, number>
  for (const { action, rows: count } of rows) counts[action] = count
  return { counts, matched: rows.reduce((sum, { matched }) => sum + matched, 0) }
}

/** Whether a job of this source, other than a dry run, is queued or running. */
export const isImporting = async (
  db: Queryable,
  { organizationId, applicationId }: SourceKey,
): Promise<boolean> =>
  (await db.one(sql`
    select from batches
     where organization_id = ${organizationId} and kind = ${IMPORT} and input ->> 'applicationId' = ${applicationId}
       and state in ('queued', 'running') and not (input ->> 'dryRun')::boolean limit 1`)) !==
  undefined

/** The jobs of this source that wait for confirmation. */
export const waitingJobs = (
  db: Queryable,
  { organizationId, applicationId }: SourceKey,
): Promise<Batch[]> =>
  db.many<Batch>(sql`
    select * from batches
     where organization_id = ${organizationId} and kind = ${IMPORT} and input ->> 'applicationId' = ${applicationId}
       and state = 'waiting'`)

/** Whether a job of this source has still to be planned. */
export const isPlanning = async (
  db: Queryable,
  { organizationId, applicationId }: SourceKey,
): Promise<boolean> =>
  (await db.one(sql`
    select from batches
     where organization_id = ${organizationId} and kind = ${IMPORT} and input ->> 'applicationId' = ${applicationId}
       and state in ('queued', 'running') and not notes ? 'planned' limit 1`)) !== undefined
