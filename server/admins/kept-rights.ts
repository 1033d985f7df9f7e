import type { Caller, KeptRights } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import { forbidden } from '../platform/errors.ts'
import { presentPrincipal } from './authenticate.ts'

/** Null for the service itself, whose work needs nobody's rights. */
export const keepRights = ({ initiator, id, homeId, scopes }: Caller): KeptRights | null =>
  initiator.type === 'admin' || initiator.type === 'service_account'
    ? { type: initiator.type, id, homeId, scopes: [...scopes] }
    : null

/**
 * The kept scopes that the roles of this administrator or service account still have in the organization: none after it
 * is suspended or deleted. A narrowed key keeps its work narrow, and may itself be gone: it was not what held the right.
 */
export async function presentRights(
  db: Db,
  organizationId: string,
  kept: KeptRights,
): Promise<ReadonlySet<string>> {
  const present = await presentPrincipal(db, kept)
  if (!present?.organizationIds.has(organizationId)) return new Set()
  return new Set(kept.scopes.filter((scope) => present.scopes.has(scope)))
}

/** Of each list, one scope must still be held: otherwise the work ends, with a reason that says who has to let it go on. */
export function checkRightsLeft(
  present: ReadonlySet<string>,
  wanted: readonly (readonly string[])[],
  what: string,
): void {
  for (const scopes of wanted)
    if (!scopes.some((scope) => present.has(scope)))
      throw forbidden(
        'rights_lost',
        `Forbidden: ${what} runs with the rights of somebody who no longer holds the scope ${scopes.join(' or ')}`,
      )
}
