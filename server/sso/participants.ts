import type { Tx } from '../platform/db/index.ts'
import { sha256 } from '../platform/secrets.ts'
import type { Issued } from './issue.ts'
import { insertParticipant } from './store.ts'

/**
 * From now on the application hears of the end of the session. Asked of the database each time: a session that has
 * ended meanwhile fails here, and whoever held it gets no assertion.
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
