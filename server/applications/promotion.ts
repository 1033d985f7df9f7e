import type { Tx } from '../platform/db/index.ts'
import type { ApplicationContext } from './context.ts'
import { promoteCertificateJob } from './job-definitions.ts'
import type { ApplicationRow } from './store.ts'

/** Sends the job for the row's planned promotion. An overdue one runs at once. */
export async function planPromotion(
  { send }: Pick<ApplicationContext, 'send'>,
  tx: Tx,
  organizationId: string,
  { id, next_certificate_id, promote_at }: ApplicationRow,
): Promise<void> {
  if (next_certificate_id === null || promote_at === null) return
  const payload = {
    organizationId,
    applicationId: id,
    certificateId: next_certificate_id,
    at: promote_at,
  }
  await send(tx, promoteCertificateJob, payload, { startAfter: new Date(promote_at) })
}
