import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { SystemRow } from './store.ts'

/** Keyset page by id; an empty `after` starts at the beginning. */
export const systemsAfter = (db: Queryable, organizationId: string, after: string, limit: number) =>
  db.many<SystemRow>(sql`
    select * from systems
     where organization_id = ${organizationId} and deleted_at is null and id > ${after}
     order by id limit ${limit}`)
