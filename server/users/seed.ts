import { addNode } from '../graph/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import { blankUser } from './create.ts'
import type { UserCreate } from './schema.ts'
import { insertUser, takeUnixUid } from './store.ts'
import { applyWrite } from './write.ts'

interface SeededUser {
  id: string
  body: UserCreate & { state: 'STAGED' | 'ACTIVATED' | 'SUSPENDED' }
  passwordHash: string | null
  created: Date
  source: string
}

/** A user without event or mail, for the demo world; the seeder chooses the id. */
export async function seedUser(
  tx: Tx,
  organizationId: string,
  { id, body, passwordHash, created, source }: SeededUser,
): Promise<void> {
  const blank = blankUser(organizationId, id, created, source)
  const rules = { now: created, makeId: newId, restrictedFields: [] }
  const row = applyWrite(blank, body, body.state, rules)
  const uid = await takeUnixUid(tx, organizationId)
  await insertUser(tx, {
    ...row,
    unix_uid: uid,
    unix_guid: uid,
    password_hash: passwordHash,
    password_date: passwordHash && created.toISOString(),
  })
  await addNode(tx, organizationId, 'user', id)
}
