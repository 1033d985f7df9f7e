import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { LogoutState } from './logout-context.ts'

// Logouts in progress. The state is JSON that only logout.ts writes.

export const insertLogout = (
  db: Queryable,
  organizationId: string,
  row: { hash: Buffer; state: LogoutState; seconds: number },
) =>
  db.run(sql`
    insert into sso_logouts (organization_id, hash, state, expires_at)
    values (${organizationId}, ${row.hash}, ${JSON.stringify(row.state)}, now() + make_interval(secs => ${row.seconds}))`)

export const findLogout = (db: Queryable, organizationId: string, hash: Buffer) =>
  db.find<{ state: LogoutState }>(sql`
    select state from sso_logouts
     where organization_id = ${organizationId} and hash = ${hash} and expires_at > now()`)

export const lockLogout = (tx: Queryable, organizationId: string, hash: Buffer) =>
  tx.one<{ state: LogoutState }>(sql`
    select state from sso_logouts
     where organization_id = ${organizationId} and hash = ${hash} and expires_at > now() for update`)

export const saveLogout = (
  tx: Queryable,
  organizationId: string,
  hash: Buffer,
  state: LogoutState,
) =>
  tx.run(sql`
    update sso_logouts set state = ${JSON.stringify(state)}
     where organization_id = ${organizationId} and hash = ${hash}`)

export const deleteOldLogouts = (db: Queryable, organizationId: string) =>
  db.run(
    sql`delete from sso_logouts where organization_id = ${organizationId} and expires_at <= now()`,
  )
