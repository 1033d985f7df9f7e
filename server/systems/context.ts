import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { Limits } from '../platform/limits.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { System } from './schema.ts'

/** A system was created or restored (before is null), changed, or deleted (after is null). */
interface SystemChange {
  systemId: string
  before: System | null
  after: System | null
}

/** Dependencies of this slice's actions; built once by the composition root. */
export interface SystemContext {
  db: Db
  limits: Limits
  sealer: Sealer
  publicUrl: string
  changed: Hook<Caller, SystemChange>
}
