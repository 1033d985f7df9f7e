import { type EventInput, recordEvent } from '../insights/index.ts'
import { systemCaller } from '../platform/caller.ts'
import type { Db, Tx } from '../platform/db/index.ts'
import { OperatorError } from '../platform/errors.ts'
import { clearFailures } from '../platform/failures.ts'
import { randomToken } from '../platform/secrets.ts'
import { hashKey, keyPrefix, newApiKey } from './api-key.ts'
import { accountSubject } from './attempts.ts'
import { announceChange } from './credential-cache.ts'
import { deleteAdministratorKey, insertAdministratorKey } from './credential-store.ts'
import { hashPassword } from './passwords.ts'
import { resourceOf } from './records.ts'
import { deletePasswordResetsOf, deleteSessionsOf } from './session-store.ts'
import {
  type AdministratorRow,
  findAdministratorByEmail,
  lockAdministratorById,
  saveAdministrator,
  savePassword,
  saveTotp,
} from './store.ts'

// Actions of the operator of the machine on any administrator, without a scope or the current password.

/** Changes one administrator and records the event in one transaction. */
async function act<T>(
  db: Db,
  email: string,
  work: (tx: Tx, row: AdministratorRow) => Promise<{ result: T; event: EventInput | null }>,
): Promise<T> {
  const found = await findAdministratorByEmail(db, email)
  if (!found) throw new OperatorError(`There is no administrator ${email}`)
  const homeId = (found.provider ?? found.organization)!
  return db.tx(homeId, async (tx) => {
    const row = await lockAdministratorById(tx, found.id)
    if (!row) throw new OperatorError(`There is no administrator ${email}`)
    const { result, event } = await work(tx, row)
    const actor = { ...systemCaller(homeId, 'gatehouse'), providerId: row.provider }
    if (event) await recordEvent(tx, actor, { resource: resourceOf(row), ...event })
    return result
  })
}

/** Replaces the key; the old one is revoked at once. */
export const resetKeyAsOperator = (db: Db, email: string): Promise<string> =>
  act(db, email, async (tx, row) => {
    if (!row.api_key_allowed)
      throw new OperatorError(`${row.email} may not have an API key (apiKeyAllowed is false)`)
    const key = newApiKey()
    await deleteAdministratorKey(await announceChange(tx), row.id)
    await insertAdministratorKey(tx, row.id, {
      hash: hashKey(key),
      prefix: keyPrefix(key),
      scopes: null,
      expiresAt: null,
    })
    return { result: key, event: { event_type: 'admin_update', changes: [{ field: 'apiKey' }] } }
  })

/** Also ends all sessions, revokes open links and clears failed attempts, to lock out an intruder. */
export async function resetPasswordAsOperator(db: Db, email: string): Promise<string> {
  const password = randomToken(15)
  const passwordHash = await hashPassword(password)
  return act(db, email, async (tx, row) => {
    await savePassword(tx, row.id, passwordHash)
    await deletePasswordResetsOf(tx, row.id)
    await deleteSessionsOf(tx, row.id)
    await clearFailures(tx, [accountSubject(row.email)])
    const changes = [{ field: 'password' }]
    return { result: password, event: { event_type: 'admin_password_change', changes } }
  })
}

/** For an administrator who has lost the device and the recovery codes. False if there was no second factor. */
export const resetTotpAsOperator = (db: Db, email: string): Promise<boolean> =>
  act(db, email, async (tx, row) => {
    if (row.totp_secret === null) return { result: false, event: null }
    await saveTotp(tx, row.id, { secret: null, pending: null, counter: null, recoveryCodes: [] })
    await deleteSessionsOf(tx, row.id)
    return { result: true, event: { event_type: 'admin_totp_disable' } }
  })

/** False if nothing changed. */
export const setSuspendedAsOperator = (
  db: Db,
  email: string,
  suspended: boolean,
): Promise<boolean> =>
  act(db, email, async (tx, row) => {
    if (row.suspended === suspended) return { result: false, event: null }
    await saveAdministrator(await announceChange(tx), { ...row, suspended })
    if (suspended) await deleteSessionsOf(tx, row.id)
    return {
      result: true,
      event: {
        event_type: suspended ? 'admin_suspended' : 'admin_unsuspend',
        changes: [{ field: 'suspended', from: row.suspended, to: suspended }],
      },
    }
  })
