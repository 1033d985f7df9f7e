import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db.ts'
import type { Hook } from '../platform/hooks.ts'

/** What the actions of this slice work with; made once by the composition root. */
export interface OrganizationContext {
  db: Db
  /** An organization came into being; who may reach it is decided above. */
  created: Hook<Caller, { organizationId: string }>
}
