import { recordEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { invalid } from '../platform/errors.ts'
import { checkConfirmed } from '../platform/rights.ts'
import {
  hashRecoveryCode,
  newRecoveryCodes,
  newTotpSecret,
  totpAddress,
  verifyTotp,
} from '../platform/totp.ts'
import type { AdminContext } from './context.ts'
import { resourceOf } from './records.ts'
import { deleteSessionsOf } from './session-store.ts'
import { openSession, type SignedIn } from './sessions.ts'
import { type AdministratorRow, lockAdministratorById, saveTotp } from './store.ts'

const sealContext = (id: string) => `administrator ${id} totp`

type SecondFactor = { counter: number } | { recoveryCode: string }

export async function checkSecondFactor(
  context: AdminContext,
  row: AdministratorRow,
  code: string,
): Promise<SecondFactor | null> {
  if (row.totp_secret === null) return null
  const secret = await context.sealer.unseal(row.totp_secret, sealContext(row.id))
  const counter = verifyTotp(secret, code, row.totp_last_counter)
  if (counter !== null) return { counter }
  const hash = hashRecoveryCode(code)
  return row.recovery_code_hashes.includes(hash) ? { recoveryCode: hash } : null
}

/** A code used before is a replay (RFC 6238 §5.2), not a guess. */
export async function wrongCode(
  context: AdminContext,
  row: AdministratorRow | undefined,
  code: string,
): Promise<{ failed: string; guessed: boolean }> {
  if (!row || row.totp_secret === null) return { failed: 'invalid second factor', guessed: true }
  const secret = await context.sealer.unseal(row.totp_secret, sealContext(row.id))
  return verifyTotp(secret, code, null) === null
    ? { failed: 'invalid second factor', guessed: true }
    : { failed: 'second factor has already been used', guessed: false }
}

/** Marks the code as used. */
export const spend = (tx: Tx, row: AdministratorRow, used: SecondFactor): Promise<number> =>
  saveTotp(tx, row.id, {
    secret: row.totp_secret,
    pending: row.totp_pending_secret,
    counter: 'counter' in used ? used.counter : row.totp_last_counter,
    recoveryCodes:
      'recoveryCode' in used
        ? row.recovery_code_hashes.filter((hash) => hash !== used.recoveryCode)
        : row.recovery_code_hashes,
  })

interface Enrollment {
  secret: string
  otpauthUrl: string
}

export async function startTotp(context: AdminContext, caller: Caller): Promise<Enrollment> {
  const secret = newTotpSecret()
  return context.db.tx(caller.homeId, async (tx) => {
    const row = (await lockAdministratorById(tx, caller.id))!
    if (row.totp_secret !== null)
      throw invalid('totp_enrolled', 'TOTP is already enrolled; disable it first')
    checkConfirmed(caller, 'the second factor')
    await saveTotp(tx, row.id, {
      secret: null,
      pending: context.sealer.seal(secret, sealContext(row.id)),
      counter: null,
      recoveryCodes: [],
    })
    await recordEvent(tx, caller, {
      event_type: 'admin_totp_start_enrollment',
      resource: resourceOf(row),
    })
    return { secret, otpauthUrl: totpAddress(secret, row.email, 'Gatehouse') }
  })
}

/** The code proves that the device has the secret; a session that was waiting for enrolment is replaced by a full one. */
export function finishTotp(
  context: AdminContext,
  caller: Caller,
  code: string,
): Promise<{ recoveryCodes: string[]; session: SignedIn }> {
  return context.db.tx(caller.homeId, async (tx) => {
    const row = (await lockAdministratorById(tx, caller.id))!
    if (row.totp_pending_secret === null)
      throw invalid('totp_not_started', 'TOTP enrolment has not been started')
    const counter = verifyTotp(
      await context.sealer.unseal(row.totp_pending_secret, sealContext(row.id)),
      code,
      null,
    )
    if (counter === null)
      throw invalid('totp_code', 'code: is not correct; check the clock of the device')
    const { codes, hashes } = newRecoveryCodes()
    await saveTotp(tx, row.id, {
      secret: row.totp_pending_secret,
      pending: null,
      counter,
      recoveryCodes: hashes,
    })
    await deleteSessionsOf(tx, row.id)
    const session = await openSession(tx, row, caller.client, null, true)
    await recordEvent(
      tx,
      { ...caller, mfa: true },
      {
        event_type: 'admin_totp_finish_enrollment',
        resource: resourceOf(row),
      },
    )
    return { recoveryCodes: codes, session }
  })
}

/** Needs no code: confirming the session already required one. */
export function disableTotp(context: AdminContext, caller: Caller): Promise<void> {
  return context.db.tx(caller.homeId, async (tx) => {
    const row = (await lockAdministratorById(tx, caller.id))!
    if (row.totp_secret === null) throw invalid('totp_not_enrolled', 'TOTP is not enrolled')
    checkConfirmed(caller, 'the second factor')
    await saveTotp(tx, row.id, { secret: null, pending: null, counter: null, recoveryCodes: [] })
    await recordEvent(tx, caller, {
      event_type: 'admin_totp_disable',
      resource: resourceOf(row),
    })
  })
}
