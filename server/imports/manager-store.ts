import type { BatchKey } from '../platform/batches/store.ts'
import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

/** Finished rows whose manager was not known yet. */
export const waitingForManager = (
  db: Queryable,
  { organization_id, id }: BatchKey,
  after: number,
  limit: number,
) =>
  db.many<{ position: number; message: string; result: object }>(sql`
    select position, status_msg as message, result from batch_rows
     where organization_id = ${organization_id} and batch_id = ${id} and position > ${after}
       and success and result ? 'managerRef' and result ->> 'userId' is not null
     order by position limit ${limit}`)

/** Whom new users name as their manager. */
export const namedManagers = async (
  db: Queryable,
  { organization_id, id }: BatchKey,
): Promise<string[]> => {
  const rows = await db.many<{ manager: string }>(sql`
    select distinct input ->> 'manager' as manager from batch_rows
     where organization_id = ${organization_id} and batch_id = ${id} and status = 'Pending'
       and input -> 'plan' ->> 'action' = 'create' and input ->> 'manager' is not null`)
  return rows.map(({ manager }) => manager)
}
