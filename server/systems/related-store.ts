import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

/** Current groups of systems and users. The graph slice writes these edges; this only reads them. */
export const groupIdsAmong = (db: Queryable, organizationId: string, ids: string[]) =>
  db.many<{ id: string; group_ids: string[] }>(sql`
    select to_id as id, array_agg(from_id::text order by from_id) as group_ids from edges
     where organization_id = ${organizationId} and valid_until is null and to_type in ('system', 'user')
       and from_type in ('system_group', 'user_group') and to_id = any(${ids}::text[])
     group by to_id`)
