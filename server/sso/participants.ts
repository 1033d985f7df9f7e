import type { Tx } from '../platform/db/index.ts'
import { sha256 } from '../platform/secrets.ts'
import type { Issued } from './issue.ts'
import { insertParticipant } from './store.ts'

/**
 * Adds the application to the session, so that it gets a logout request when the session ends. Runs on every sign-in: if
 * the session has ended meanwhile, the foreign key fails and no assertion is sent.
 */
export const joinSession = (
  tx: Tx,
  organizationId: string,
  sessionId: string,
  applicationId: string,
  { nameId, sessionIndex }: Pick<Issued, 'nameId' | 'sessionIndex'>,
): Promise<number> =>
  insertParticipant(tx, organizationId, sessionId, {
    application_id: applicationId,
    name_hash: sha256(nameId.value),
    name_id: nameId.value,
    name_id_format: nameId.format,
    session_index: sessionIndex,
  })
