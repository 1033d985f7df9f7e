import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

// What signing in changes of a user, without touching the record that administrators see as changed.

export const saveBadLogins = (
  tx: Queryable,
  organizationId: string,
  userId: string,
  attempts: number,
) =>
  tx.run(sql`
    update users set bad_login_attempts = ${attempts}
     where organization_id = ${organizationId} and id = ${userId}`)

/** The highest one-time code that was used; null: none yet. */
export const findTotpCounter = async (
  tx: Queryable,
  organizationId: string,
  userId: string,
): Promise<number | null> =>
  (await tx.one<{ totp_last_counter: number | null }>(sql`
    select totp_last_counter from users where organization_id = ${organizationId} and id = ${userId}`))!
    .totp_last_counter

export const saveTotpCounter = (
  tx: Queryable,
  organizationId: string,
  userId: string,
  counter: number,
) =>
  tx.run(sql`
    update users set totp_last_counter = ${counter}
     where organization_id = ${organizationId} and id = ${userId}`)
