import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { SourceKey } from './link-store.ts'

/** Whether all direct reports of the user came from this source since then. */
export const reportsCameSince = async (
  db: Queryable,
  { organizationId, applicationId }: SourceKey,
  managerId: string,
  since: string,
): Promise<boolean> =>
  (await db.one<{ all: boolean }>(sql`
    select coalesce(bool_and(u.created >= ${since}::timestamptz and exists (
             select from import_links l
              where l.organization_id = ${organizationId} and l.application_id = ${applicationId}
                and l.user_id = u.id)), false) as "all"
      from users u
     where u.organization_id = ${organizationId} and u.manager = ${managerId} and u.deleted_at is null`))!
    .all
