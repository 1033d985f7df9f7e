import { recordEvent } from '../insights/index.ts'
import type { Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { hashRecoveryCode, newRecoveryCodes } from '../platform/totp.ts'
import {
  resourceOf,
  spendTotp,
  type UserListener,
  type UserRow,
  userActor,
} from '../users/index.ts'
import type { PortalContext } from './context.ts'
import {
  deleteRecoveryCodes,
  insertRecoveryCodes,
  takeRecoveryCode,
} from './recovery-code-store.ts'

/** The kind of code presented as the second factor: from the device, or a recovery code. */
export type Factor = 'totp' | 'recovery_code'

/** Generates codes that replace the old ones; they are shown only once. */
export async function replaceRecoveryCodes(
  tx: Tx,
  { organization_id, id }: UserRow,
): Promise<string[]> {
  const { codes, hashes } = newRecoveryCodes()
  await deleteRecoveryCodes(tx, organization_id, id)
  await insertRecoveryCodes(tx, organization_id, id, hashes)
  return codes
}

/** Consumes the code and returns its kind; null when it does not match. The row must be locked. */
export async function spendFactor(
  context: PortalContext,
  tx: Tx,
  client: Client,
  row: UserRow,
  code: string,
): Promise<Factor | null> {
  if (await spendTotp(context, tx, row, code)) return 'totp'
  const { organization_id, id } = row
  if (!(await takeRecoveryCode(tx, organization_id, id, hashRecoveryCode(code)))) return null
  await recordEvent(tx, userActor(row, client), {
    event_type: 'totp_recovery_code_use',
    resource: resourceOf(row),
  })
  return 'recovery_code'
}

/** Deletes the codes with the second factor, no matter who removes it. */
export const forgetRecoveryCodes: UserListener = async (tx, actor, { userId, before, after }) => {
  if (before === null || before.totp_secret === null || after?.totp_secret !== null) return
  await deleteRecoveryCodes(tx, actor.organizationId, userId)
}
