import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { System } from './schema.ts'

/** A system came (before is null), changed, or went (after is null). */
interface SystemChange {
  systemId: string
  before: System | null
  after: System | null
}

/** What the actions of this slice work with; made once by the composition root. */
export interface SystemContext {
  db: Db
  sealer: Sealer
  publicUrl: string
  changed: Hook<Caller, SystemChange>
}
