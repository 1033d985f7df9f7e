import type { Actor } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { Limits } from '../platform/limits.ts'

/**
 * Dependencies of this slice's actions; built once by the composition root. When a provider creates or changes an
 * organization, the transaction is the provider's: row-level security hides the organization's rows.
 */
export interface OrganizationContext {
  db: Db
  limits: Limits
  /** Fires after an insert; higher slices decide who gets access. */
  created: Hook<Caller, { organizationId: string }>
  /** Fires when an organization is deleted or restored: higher slices decide who loses access. */
  removed: Hook<Actor & { organizationId: string }, { organizationId: string }>
}
