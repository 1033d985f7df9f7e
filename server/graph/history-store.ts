import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

/** Deletes up to `limit` rows and returns their number; `limit` means that there may be more. */
type Forget = (
  db: Queryable,
  organizationId: string,
  before: Date,
  limit: number,
) => Promise<number>

/** Edges that ended before the given time. */
export const deleteEndedEdges: Forget = (db, organizationId, before, limit) =>
  db.run(sql`
    delete from edges where organization_id = ${organizationId} and ctid = any(array(
      select ctid from edges
       where organization_id = ${organizationId} and valid_until < ${before}
       order by valid_until limit ${limit}))`)

/** Nodes that were deleted before the given time and have no edges left. */
export const deleteForgottenNodes: Forget = (db, organizationId, before, limit) =>
  db.run(sql`
    delete from nodes where organization_id = ${organizationId} and ctid = any(array(
      select n.ctid from nodes n
       where n.organization_id = ${organizationId} and n.deleted_at < ${before}
         and not exists (select from edges e
                          where e.organization_id = ${organizationId} and e.from_type = n.type and e.from_id = n.id)
         and not exists (select from edges e
                          where e.organization_id = ${organizationId} and e.to_type = n.type and e.to_id = n.id)
       limit ${limit}))`)

/** Compacts `member_counts` to one row for each group. Rows of concurrent transactions stay for the next run. */
export const addUpMemberCounts = (db: Queryable, organizationId: string): Promise<number> =>
  db.run(sql`
    with scattered as (
      select type, id from member_counts where organization_id = ${organizationId} group by type, id having count(*) > 1
    ), gone as (
      delete from member_counts m using scattered s
       where m.organization_id = ${organizationId} and m.type = s.type and m.id = s.id
      returning m.type, m.id, m.change
    )
    insert into member_counts (organization_id, type, id, change)
    select ${organizationId}, type, id, sum(change) from gone group by type, id having sum(change) <> 0`)
