import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { SystemRow } from './store.ts'

/** The next ones in the order of their ids; from the first when `after` is empty. */
export const systemsAfter = (db: Queryable, organizationId: string, after: string, limit: number) =>
  db.many<SystemRow>(sql`
    select * from systems
     where organization_id = ${organizationId} and deleted_at is null and id > ${after}
     order by id limit ${limit}`)
