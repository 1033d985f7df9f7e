import type { Tx } from '../platform/db.ts'
import { sha256 } from '../platform/secrets.ts'
import type { Issued } from './issue.ts'
import { insertParticipant } from './store.ts'

/**
 * Written down before, by this process: a session that is there has them until it ends, and never comes back. The one
 * used longest ago is forgotten first, and then written once more in vain.
 */
const known = new Set<string>()
const MOST_KNOWN = 20_000

/** From now on the application hears of the end of the session. */
export async function joinSession(
  tx: Tx,
  organizationId: string,
  sessionId: string,
  applicationId: string,
  { nameId, sessionIndex }: Pick<Issued, 'nameId' | 'sessionIndex'>,
): Promise<void> {
  const key = `${organizationId} ${sessionId} ${applicationId} ${nameId.value}`
  if (known.has(key)) return
  await insertParticipant(tx, organizationId, sessionId, {
    application_id: applicationId,
    name_hash: sha256(nameId.value),
    name_id: nameId.value,
    name_id_format: nameId.format,
    session_index: sessionIndex,
  })
  tx.afterCommit(() => {
    known.add(key)
    if (known.size > MOST_KNOWN) known.delete(known.values().next().value!)
  })
}
