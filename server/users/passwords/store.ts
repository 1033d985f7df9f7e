import type { Queryable } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'

export const formerPasswords = (
  db: Queryable,
  organizationId: string,
  userId: string,
  count: number,
) =>
  db.many<{ password_hash: string }>(sql`
    select password_hash from user_password_history
     where organization_id = ${organizationId} and user_id = ${userId}
     order by replaced_at desc limit ${count}`)

/** The longest history a policy can require. */
const KEPT = 24

export async function keepFormerPassword(
  tx: Queryable,
  organizationId: string,
  userId: string,
  hash: string,
): Promise<void> {
  await tx.run(sql`
    insert into user_password_history (organization_id, user_id, password_hash)
    values (${organizationId}, ${userId}, ${hash})`)
  await tx.run(sql`
    delete from user_password_history
     where organization_id = ${organizationId} and user_id = ${userId}
       and replaced_at <= (select replaced_at from user_password_history
                            where organization_id = ${organizationId} and user_id = ${userId}
                            order by replaced_at desc offset ${KEPT} limit 1)`)
}

/** Only the newest link of a user is valid. */
export async function replacePasswordLink(
  tx: Queryable,
  organizationId: string,
  userId: string,
  hash: Buffer,
  expiresAt: string,
): Promise<void> {
  await Promise.all([
    deletePasswordLinks(tx, organizationId, userId),
    tx.run(sql`
      insert into user_password_links (organization_id, hash, user_id, expires_at)
      values (${organizationId}, ${hash}, ${userId}, ${expiresAt})`),
  ])
}

export const deletePasswordLinks = (tx: Queryable, organizationId: string, userId: string) =>
  tx.run(
    sql`delete from user_password_links where organization_id = ${organizationId} and user_id = ${userId}`,
  )

export const newestLink = (db: Queryable, organizationId: string, userId: string) =>
  db.one<{ hash: Buffer }>(sql`
    select hash from user_password_links
     where organization_id = ${organizationId} and user_id = ${userId} order by expires_at desc limit 1`)

export const findPasswordLink = (db: Queryable, organizationId: string, hash: Buffer, now: Date) =>
  db.one<{ user_id: string }>(sql`
    select user_id from user_password_links
     where organization_id = ${organizationId} and hash = ${hash} and expires_at > ${now}`)

/** Consumes the link. */
export const takePasswordLink = (tx: Queryable, organizationId: string, hash: Buffer, now: Date) =>
  tx.one<{ user_id: string }>(sql`
    delete from user_password_links
     where organization_id = ${organizationId} and hash = ${hash} and expires_at > ${now}
    returning user_id`)

export const deleteExpiredLinks = (tx: Queryable, organizationId: string, now: Date) =>
  tx.run(
    sql`delete from user_password_links where organization_id = ${organizationId} and expires_at <= ${now}`,
  )

/** A page of users whose password expires before that instant; for warnings, without those already warned. */
export const expiringPasswords = (
  db: Queryable,
  organizationId: string,
  before: Date,
  what: 'expire' | 'warn',
  after: string,
) =>
  db.many<{ id: string }>(sql`
    select id from users
     where organization_id = ${organizationId} and deleted_at is null and password_expiration_date <= ${before}
       and not password_expired and id > ${after}
       and (${what} = 'expire' or (state = 'ACTIVATED' and password_warned_for is distinct from password_expiration_date))
     order by id limit 500`)

/** False when the user was already warned about this date. */
export const markWarned = async (
  tx: Queryable,
  organizationId: string,
  id: string,
): Promise<boolean> =>
  (await tx.run(sql`
    update users set password_warned_for = password_expiration_date
     where organization_id = ${organizationId} and id = ${id}
       and password_warned_for is distinct from password_expiration_date`)) > 0
