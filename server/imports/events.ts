import { type Actor, recordEvent } from '../insights/index.ts'
import type { Tx } from '../platform/db/index.ts'

interface JobRef {
  id: string
  application: { id: string; name: string }
}

interface Outcome {
  /** For people: what came of it. */
  message?: string
  error?: string
}

/** An event of the job as a whole. Like those of its rows, it carries the correlation. */
export async function recordJobEvent(
  tx: Tx,
  actor: Actor & { organizationId: string },
  event: string,
  { id, application: { id: applicationId, name } }: JobRef,
  { message, error }: Outcome = {},
): Promise<void> {
  await recordEvent(tx, actor, {
    event_type: event,
    resource: { type: 'import_job', id, name },
    application: { id: applicationId, name },
    correlation: { id, type: 'user_import' },
    ...(message !== undefined && { message_chain: { response_message: message } }),
    ...(error !== undefined && { success: false, error_message: error }),
  })
}
