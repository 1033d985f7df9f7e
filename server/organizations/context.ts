import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { OrganizationRow } from './store.ts'

/** An organization has other settings, or another name. There is no way to delete one yet. */
interface OrganizationChange {
  organizationId: string
  before: OrganizationRow
  after: OrganizationRow
}

/**
 * What the actions of this slice work with; made once by the composition root. Where a provider makes or changes an
 * organization, the transaction is the provider's: row-level security hides what the organization has.
 */
export interface OrganizationContext {
  db: Db
  /** An organization came into being; who may reach it is decided above. */
  created: Hook<Caller, { organizationId: string }>
  changed: Hook<Caller, OrganizationChange>
}
