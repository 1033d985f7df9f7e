import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

// Columns that sign-in updates without marking the record as changed.

export const saveBadLogins = (
  tx: Queryable,
  organizationId: string,
  userId: string,
  attempts: number,
) =>
  tx.run(sql`
    update users set bad_login_attempts = ${attempts}
     where organization_id = ${organizationId} and id = ${userId}`)

/** The counter of the last TOTP code used; null when none was. */
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
