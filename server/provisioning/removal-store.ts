import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import { type AccountRow, ofApplication } from './account-store.ts'

// Accounts that have to end.

/** Removals that are due and not confirmed, by keyset. */
export const readSuspects = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  after: string,
  limit: number,
) =>
  db.many<AccountRow>(sql`
    select * from provisioning_users
     where ${ofApplication(organizationId, applicationId)} and ${SUSPECT} and user_id > ${after}
     order by user_id limit ${limit}`)

/** Accounts that may have to end, by what is known before they are compared. */
const SUSPECT = sql`removal_since is not null and next_at is not null and not removal_confirmed
  and state = 'provisioned' and remote_id is not null`

/** Removals that wait for an administrator. */
const HELD = sql`removal_since is not null and next_at is null and not removal_confirmed and not parked
  and state = 'provisioned' and remote_id is not null`

interface Removals {
  suspects: number
  held: number
  accounts: number
}

export const countRemovals = async (
  db: Queryable,
  organizationId: string,
  applicationId: string,
): Promise<Removals> =>
  (await db.one<Removals>(sql`
    select count(*) filter (where ${SUSPECT}) as suspects, count(*) filter (where ${HELD}) as held,
           count(*) filter (where state = 'provisioned') as accounts
      from provisioning_users where ${ofApplication(organizationId, applicationId)}`))!

/** They wait for an administrator. */
export const holdAccounts = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  userIds: readonly string[],
) =>
  tx.run(sql`
    update provisioning_users set next_at = null
     where ${ofApplication(organizationId, applicationId)} and user_id = any(${userIds}::text[])`)

/** Ends the suspicion: they stay. */
export const clearSuspicion = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  userIds: readonly string[],
) =>
  tx.run(sql`
    update provisioning_users set removal_since = null
     where ${ofApplication(organizationId, applicationId)} and user_id = any(${userIds}::text[])`)

export const confirmHeld = (tx: Queryable, organizationId: string, applicationId: string) =>
  tx.run(sql`
    update provisioning_users set removal_confirmed = true, next_at = now(), urgent = true
     where ${ofApplication(organizationId, applicationId)} and ${HELD}`)

/** Removals that have waited longer than the target, each reported once. */
export const takeLateRemovals = (
  tx: Queryable,
  organizationId: string,
  applicationId: string,
  before: number,
) =>
  tx.many<Pick<AccountRow, 'user_id' | 'username' | 'removal_since' | 'error'>>(sql`
    update provisioning_users set removal_late = true
     where ${ofApplication(organizationId, applicationId)} and removal_since <= ${new Date(before).toISOString()}
       and not removal_late and state = 'provisioned'
    returning user_id, username, removal_since, error`)
