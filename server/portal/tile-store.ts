import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

interface UseRow {
  application_id: string
  favourite: boolean
  opened_at: string | null
}

export const readUses = (db: Queryable, organizationId: string, userId: string) =>
  db.many<UseRow>(sql`
    select application_id, favourite, opened_at from user_applications
     where organization_id = ${organizationId} and user_id = ${userId}`)

/** Undefined members keep their value. */
export const saveUse = (
  db: Queryable,
  organizationId: string,
  userId: string,
  applicationId: string,
  { favourite = null, opened }: { favourite?: boolean | null; opened: boolean },
) =>
  db.run(sql`
    insert into user_applications as known (organization_id, user_id, application_id, favourite, opened_at)
    values (${organizationId}, ${userId}, ${applicationId}, coalesce(${favourite}::boolean, false),
            case when ${opened}::boolean then now() end)
    on conflict (organization_id, user_id, application_id) do update
       set favourite = coalesce(${favourite}::boolean, known.favourite),
           opened_at = coalesce(excluded.opened_at, known.opened_at)`)
