import type { AccountRow } from './account-store.ts'
import { alertAdministrators } from './alert.ts'
import { saveHeld } from './connection-store.ts'
import type { ProvisioningContext } from './context.ts'
import { clearSuspicion, countRemovals, holdAccounts, readSuspects } from './removal-store.ts'
import type { Session } from './session.ts'
import { needsConfirmation } from './settings.ts'

const PAGE = 500

/** As `readSuspects` finds them: a batch without any of them removes nobody, so nobody has to be counted. */
export const isSuspect = (row: AccountRow): boolean =>
  row.removal_since !== null &&
  !row.removal_confirmed &&
  row.state === 'provisioned' &&
  row.remote_id !== null

/**
 * Holds back removals that are too many at once, until an administrator confirms them: a group unbound by mistake must
 * not lock out half of the company. Everything else goes on.
 */
export async function holdRemovals(context: ProvisioningContext, session: Session): Promise<void> {
  const { db, now = Date.now } = context
  const { organizationId, applicationId, settings, evaluator } = session
  const tenant = db.tenant(organizationId)
  const { suspects, held, accounts } = await countRemovals(tenant, organizationId, applicationId)
  // Some may have been bound again, and need no confirmation any more.
  if (held !== (session.row.held_removals ?? 0)) {
    await saveHeld(tenant, organizationId, applicationId, held === 0 ? null : held)
    session.row.held_removals = held === 0 ? null : held
  }
  if (!needsConfirmation(settings, suspects, accounts)) return
  // Suspicion is cheap and may be wrong, such as for users who are also bound by another way.
  const removals: string[] = []
  for (let after = '', full = true; full; ) {
    const rows = await readSuspects(tenant, organizationId, applicationId, after, PAGE)
    const ids = rows.map(({ user_id }) => user_id)
    const desired = await evaluator.desired(tenant, organizationId, applicationId, ids, now())
    const staying = ids.filter((id) => desired.get(id)!.wanted === 'present')
    if (staying.length > 0) await clearSuspicion(tenant, organizationId, applicationId, staying)
    removals.push(...ids.filter((id) => desired.get(id)!.wanted !== 'present'))
    after = ids.at(-1) ?? ''
    full = rows.length === PAGE
  }
  if (!needsConfirmation(settings, removals.length, accounts)) return
  await hold(context, session, removals)
}

async function hold(
  context: ProvisioningContext,
  session: Session,
  userIds: string[],
): Promise<void> {
  const { organizationId, applicationId, applicationName, row } = session
  const before = row.held_removals ?? 0
  const total = before + userIds.length
  const message = `${total} people would lose their account at ${applicationName}; an administrator has to confirm it`
  const mail = {
    subject: `Provisioning of ${applicationName} waits for you`,
    lines: [
      `${message}.`,
      '',
      `If this is intended, confirm it: POST ${context.publicUrl}/api/v2/applications/${applicationId}/provisioning/plan/confirm`,
      'If it is not, restore the bindings; nothing has been removed yet.',
    ],
  }
  const alert = {
    event_type: 'integration_removals_held',
    message,
    mail: before === 0 ? mail : null,
  } as const
  await alertAdministrators(context, session, alert, async (tx) => {
    await holdAccounts(tx, organizationId, applicationId, userIds)
    await saveHeld(tx, organizationId, applicationId, total)
    return true
  })
  row.held_removals = total
}
