import { recordEvent } from '../insights/index.ts'
import { findOrganization, settingsOf } from '../organizations/index.ts'
import type { Caller, Client } from '../platform/caller.ts'
import type { Queryable } from '../platform/db/index.ts'
import { actorOf, attempt } from './attempts.ts'
import type { AdminContext } from './context.ts'
import { checkPassword } from './passwords.ts'
import { resourceOf } from './records.ts'
import { checkSecondFactor, spend, wrongCode } from './second-factor.ts'
import { deleteSession, deleteSessionsOf, type SessionRow } from './session-store.ts'
import { openSession, type SignedIn } from './sessions.ts'
import {
  type AdministratorRow,
  findAdministratorByEmail,
  findAdministratorById,
  lockAdministratorById,
} from './store.ts'

/** Required by the administrator's own setting or by the organization's. */
async function owedFactor(db: Queryable, row: AdministratorRow): Promise<SessionRow['mfa_owed']> {
  if (row.totp_secret !== null) return 'totp'
  if (row.enable_multi_factor) return 'enrollment'
  const organization =
    row.organization === null ? undefined : await findOrganization(db, row.organization)
  return organization && settingsOf(organization).requireAdminMFA === true ? 'enrollment' : null
}

export function signIn(
  context: AdminContext,
  client: Client,
  email: string,
  password: string,
): Promise<SignedIn> {
  const { db } = context
  const find = () => findAdministratorByEmail(db, email.trim())
  return attempt(context, client, email, find, async (row) => {
    const matches = await checkPassword(row?.password_hash ?? null, password)
    if (!row || !matches) return { failed: 'invalid credentials', guessed: true }
    if (row.suspended) return { failed: 'administrator is suspended', guessed: true }
    const owed = await owedFactor(db, row)
    // If a code is still required, neither record a success nor clear earlier failures yet.
    const done = owed !== 'totp'
    const actor = actorOf(row, client)
    const proven = await db.tx(actor.organizationId, async (tx) => {
      if (done)
        await recordEvent(tx, actor, {
          event_type: 'admin_login_attempt',
          resource: resourceOf(row),
          success: true,
        })
      return openSession(tx, row, client, owed, false)
    })
    return { proven, done }
  })
}

/** The second step: a TOTP or recovery code. A new session replaces the half-open one. */
export function giveSecondFactor(
  context: AdminContext,
  caller: Caller,
  code: string,
): Promise<SignedIn> {
  const { client } = caller
  const find = () => findAdministratorById(context.db, caller.id)
  return attempt(context, client, caller.initiator.email!, find, () =>
    context.db.tx(caller.homeId, async (tx) => {
      // Locked, so that two concurrent requests cannot use the same code.
      const row = await lockAdministratorById(tx, caller.id)
      const used = row && (await checkSecondFactor(context, row, code))
      if (!row || !used) return wrongCode(context, row, code)
      await spend(tx, row, used)
      await deleteSession(tx, caller.sessionHash!)
      await recordEvent(tx, actorOf(row, client, true), {
        event_type: 'admin_login_attempt',
        resource: resourceOf(row),
        success: true,
      })
      return { proven: await openSession(tx, row, client, null, true), done: true }
    }),
  )
}

export const signOut = (context: AdminContext, caller: Caller): Promise<number> =>
  deleteSession(context.db, caller.sessionHash!)

export const signOutEverywhere = (context: AdminContext, caller: Caller): Promise<number> =>
  deleteSessionsOf(context.db, caller.id)
