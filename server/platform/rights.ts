import type { Principal } from './caller.ts'
import { forbidden } from './errors.ts'

// What a caller must hold beyond the scopes of the route, for some of what the route can do.

/** What belongs to the provider itself reaches all of its organizations, so it takes somebody who does. */
export function checkWholeProvider({ wholeProvider }: Pick<Principal, 'wholeProvider'>): void {
  if (wholeProvider !== true)
    throw forbidden(
      'provider_reach',
      'Forbidden: what belongs to the provider takes an administrator who reaches all of its organizations',
    )
}

/** One of these; `what` names the part of the request that takes it. */
export function checkScope(
  { scopes }: { scopes?: ReadonlySet<string> },
  wanted: readonly string[],
  what: string,
): void {
  if (!wanted.some((scope) => scopes?.has(scope)))
    throw forbidden('scope_missing', `Forbidden: ${what} needs the scope ${wanted.join(' or ')}`)
}
