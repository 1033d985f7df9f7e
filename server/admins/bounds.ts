import type { Caller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { forbidden } from '../platform/errors.ts'
import { resolveRoles } from './authenticate.ts'
import { checkMayGrant } from './roles.ts'
import { type AdministratorRow, organizationIdsOfAdministrator } from './store.ts'

// Callers cannot create or change anything beyond their own scopes, organizations and expiry.

type Holder = Pick<AdministratorRow, 'id' | 'organization' | 'provider' | 'role_ids'>

/**
 * Prevents privilege escalation: an administrator with more scopes or organizations cannot be changed, nor can the owner
 * of a narrowed key with that key.
 */
export async function checkMayChange(tx: Tx, caller: Caller, row: Holder): Promise<void> {
  const homeId = (row.provider ?? row.organization)!
  const roles = await resolveRoles(tx, homeId, row.role_ids)
  checkMayGrant(
    caller.scopes,
    roles.flatMap((role) => role.scopes),
  )
  if (row.provider === null) return
  const reached = await organizationIdsOfAdministrator(tx, row.id)
  if (!reached.every(({ organization }) => caller.organizationIds.has(organization)))
    throw forbidden(
      'administrator_reach',
      'Forbidden: this administrator has access to organizations that you cannot access',
    )
}

/** Nothing made with a credential may outlast it; null means forever. Sessions are exempt: a person is signed in. */
export function checkEnds(caller: Caller, endsAt: string | null, what: string): void {
  const { authMethod } = caller
  // A token is renewed for as long as its secret is valid.
  const expiresAt = caller.secretExpiresAt ?? caller.expiresAt
  if (authMethod === 'session' || expiresAt === null) return
  if (endsAt !== null && Date.parse(endsAt) <= expiresAt) return
  throw forbidden(
    'outlasts_credential',
    `Forbidden: ${what} would outlast the credential of this request, which expires at ${new Date(expiresAt).toISOString()}`,
  )
}

/** Granted scopes do not expire, so an expiring credential cannot add any. */
export function checkWidening(
  caller: Caller,
  before: Iterable<string>,
  after: Iterable<string>,
  what: string,
): void {
  const held = new Set(before)
  if ([...after].some((scope) => !held.has(scope))) checkEnds(caller, null, what)
}
