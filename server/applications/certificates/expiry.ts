import { administratorsWith } from '../../admins/index.ts'
import { recordEvent } from '../../insights/index.ts'
import { forEachOrganization } from '../../organizations/index.ts'
import { systemCaller } from '../../platform/caller.ts'
import type { ApplicationContext } from '../context.ts'
import { type EndingRow, endingCertificates, markWarned } from './store.ts'

const DAY = 86_400_000
/** Administrators are warned once at each of these numbers of days before expiry. */
export const WARNINGS = [1, 7, 30, 60] as const

/** The warning due for a certificate; null if none is, or it has been sent. */
export function warningDue(notAfter: Date, warnedDays: number | null, now: Date): number | null {
  const left = (notAfter.getTime() - now.getTime()) / DAY
  const due = WARNINGS.find((days) => left <= days) ?? null
  return due === null || (warnedDays !== null && warnedDays <= due) ? null : due
}

type WarnContext = Pick<ApplicationContext, 'db' | 'postMail'>

function mailAbout({ display_label, not_after }: EndingRow, now: Date) {
  const expired = new Date(not_after) <= now
  const day = not_after.slice(0, 10)
  const expiry = expired ? `expired on ${day}` : `expires on ${day}`
  return {
    subject: `The certificate of ${display_label} ${expiry}`,
    body: [
      `The certificate that signs sign-ins to "${display_label}" ${expiry}.`,
      '',
      'Add the next certificate, have the service provider load the new metadata (or upload the',
      'certificate there), then promote it. Sign-ins continue without interruption.',
      '',
    ].join('\n'),
  }
}

async function warn(
  { db, postMail }: WarnContext,
  organizationId: string,
  row: EndingRow,
  days: number,
  now: Date,
): Promise<void> {
  // The administrators who can renew it.
  const emails = await administratorsWith(db, organizationId, 'applications')
  await db.tx(organizationId, async (tx) => {
    if (!(await markWarned(tx, organizationId, row, days))) return
    await recordEvent(tx, systemCaller(organizationId, 'certificate expiry'), {
      event_type: 'application_certificate_expiring',
      resource: {
        type: 'application',
        id: row.application_id,
        name: row.display_label,
        certificate_id: row.certificate_id,
        not_after: row.not_after,
        days,
      },
    })
    const mail = mailAbout(row, now)
    for (const recipient of emails) await postMail(tx, { recipient, ...mail })
  })
}

/** Warns in all organizations; no warning is sent twice. */
export async function warnOfExpiry(context: WarnContext, now: Date): Promise<void> {
  const before = new Date(now.getTime() + Math.max(...WARNINGS) * DAY)
  await forEachOrganization(context.db, async (id) => {
    const rows = await endingCertificates(context.db.tenant(id), id, before)
    for (const row of rows) {
      const days = warningDue(new Date(row.not_after), row.warned_days, now)
      if (days !== null) await warn(context, id, row, days, now)
    }
  })
}
