import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

export const insertRecoveryCodes = (
  tx: Queryable,
  organizationId: string,
  userId: string,
  hashes: string[],
) =>
  tx.run(sql`
    insert into user_recovery_codes (organization_id, user_id, hash)
    select ${organizationId}, ${userId}, hash from unnest(${hashes}::text[]) as hash`)

/** False when there is no such code, or it was already used. */
export const takeRecoveryCode = async (
  tx: Queryable,
  organizationId: string,
  userId: string,
  hash: string,
): Promise<boolean> =>
  (await tx.run(sql`
    delete from user_recovery_codes
     where organization_id = ${organizationId} and user_id = ${userId} and hash = ${hash}`)) > 0

export const countRecoveryCodes = async (
  db: Queryable,
  organizationId: string,
  userId: string,
): Promise<number> =>
  (await db.one<{ count: number }>(sql`
    select count(*)::int as count from user_recovery_codes
     where organization_id = ${organizationId} and user_id = ${userId}`))!.count

export const deleteRecoveryCodes = (tx: Queryable, organizationId: string, userId: string) =>
  tx.run(sql`
    delete from user_recovery_codes where organization_id = ${organizationId} and user_id = ${userId}`)
