import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { UserRow } from './store.ts'

/** Keyset page by id; an empty `after` starts at the beginning. */
export const usersAfter = (db: Queryable, organizationId: string, after: string, limit: number) =>
  db.many<UserRow>(sql`
    select * from users
     where organization_id = ${organizationId} and deleted_at is null and id > ${after}
     order by id nulls first limit ${limit}`)
