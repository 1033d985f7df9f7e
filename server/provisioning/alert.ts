import { administratorsWith } from '../admins/index.ts'
import type { Tx } from '../platform/db/index.ts'
import type { ProvisioningContext } from './context.ts'
import { recordProvision } from './events.ts'
import type { Session } from './session.ts'

interface Alert {
  event_type: `integration_${string}`
  message: string
  /** Null: they know already. */
  mail: { subject: string; lines: string[] } | null
}

/**
 * A connection needs an administrator: the change, its event and the mails commit together. A change that returns false
 * finds that another worker was first.
 */
export async function alertAdministrators(
  { db, postMail }: ProvisioningContext,
  session: Session,
  { event_type, message, mail }: Alert,
  change: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const { organizationId, applicationId, applicationName } = session
  // Not in the transaction: it holds a connection already.
  const emails = mail ? await administratorsWith(db, organizationId, 'applications') : []
  await db.tx(organizationId, async (tx) => {
    if (!(await change(tx))) return
    await recordProvision(tx, session, {
      event_type,
      resource: { type: 'application', id: applicationId, name: applicationName },
      success: false,
      error_message: message,
    })
    for (const recipient of emails)
      await postMail(tx, {
        recipient,
        subject: mail!.subject,
        body: `${mail!.lines.join('\n')}\n`,
      })
  })
}
