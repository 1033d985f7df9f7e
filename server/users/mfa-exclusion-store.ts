import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

const until = sql`(profile -> 'mfa' ->> 'exclusionUntil')`

/** A page of users whose exclusion has ended without an event. The dates have one format, so they sort as text. */
export const endedExclusions = (
  db: Queryable,
  organizationId: string,
  now: Date,
  after: string,
): Promise<{ id: string }[]> =>
  db.many<{ id: string }>(sql`
    select id from users
     where organization_id = ${organizationId} and deleted_at is null and ${until} <= ${now.toISOString()}
       and mfa_exclusion_told_for is distinct from ${until} and id > ${after}
     order by id limit 500`)

/** False when it was already recorded. */
export const markExclusionRecorded = async (
  tx: Queryable,
  organizationId: string,
  id: string,
): Promise<boolean> =>
  (await tx.run(sql`
    update users set mfa_exclusion_told_for = ${until}
     where organization_id = ${organizationId} and id = ${id} and mfa_exclusion_told_for is distinct from ${until}`)) >
  0
