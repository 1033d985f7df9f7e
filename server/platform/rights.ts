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

/**
 * What opens an account, e-mail address, second factor and the duty to have one, is changed in person: a key or an
 * unwatched session would otherwise become the whole account.
 */
export function checkConfirmed(
  caller: Pick<Principal, 'authMethod' | 'confirmed'>,
  what: string,
): void {
  if (caller.authMethod !== 'session')
    throw forbidden(
      'session_needed',
      `Forbidden: ${what} can only be changed in a console session, not with a key`,
    )
  if (caller.confirmed !== true)
    throw forbidden(
      'password_confirmation_required',
      `Forbidden: to change ${what}, first confirm the password: POST /auth/session/confirm`,
    )
}
