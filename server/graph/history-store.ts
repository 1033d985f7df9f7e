import type { Queryable } from '../platform/db.ts'
import { sql } from '../platform/sql.ts'

/** Edges that ended before; as many as asked for at most. */
export const deleteEndedEdges = (
  db: Queryable,
  organizationId: string,
  before: Date,
  most: number,
): Promise<number> =>
  db.run(sql`
    delete from edges where organization_id = ${organizationId} and ctid = any(array(
      select ctid from edges
       where organization_id = ${organizationId} and valid_until < ${before}
       order by valid_until limit ${most}))`)

/** Nodes that were deleted before, and that no edge of the past knows any more. */
export const deleteForgottenNodes = (
  db: Queryable,
  organizationId: string,
  before: Date,
  most: number,
): Promise<number> =>
  db.run(sql`
    delete from nodes where organization_id = ${organizationId} and ctid = any(array(
      select n.ctid from nodes n
       where n.organization_id = ${organizationId} and n.deleted_at < ${before}
         and not exists (select from edges e
                          where e.organization_id = ${organizationId} and e.from_type = n.type and e.from_id = n.id)
         and not exists (select from edges e
                          where e.organization_id = ${organizationId} and e.to_type = n.type and e.to_id = n.id)
       limit ${most}))`)
