import type { Caller } from '../platform/caller.ts'
import type { Db, Tx } from '../platform/db.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { System } from './schema.ts'

/** Told in the transaction of the change: groups decide by it who belongs to them. */
export type OnSystemChanged = (
  tx: Tx,
  caller: Caller,
  before: System | null,
  after: System | null,
) => Promise<void>

/** What the actions of this slice work with; made once by the composition root. */
export interface SystemContext {
  db: Db
  sealer: Sealer
  publicUrl: string
  onChanged: OnSystemChanged
}
