import type { Principal } from './caller.ts'
import { forbidden } from './errors.ts'

// Permissions beyond the scopes of the route, for some of its operations.

/** Provider-level records affect all of its organizations, so the caller must reach all of them. */
export function checkWholeProvider({ wholeProvider }: Pick<Principal, 'wholeProvider'>): void {
  if (wholeProvider !== true)
    throw forbidden(
      'provider_reach',
      'Forbidden: provider records require an administrator with access to all of its organizations',
    )
}

/** Requires one of the scopes; `what` names the part of the request that needs it. */
export function checkScope(
  { scopes }: { scopes?: ReadonlySet<string> },
  wanted: readonly string[],
  what: string,
): void {
  if (!wanted.some((scope) => scopes?.has(scope)))
    throw forbidden('scope_missing', `Forbidden: ${what} requires the scope ${wanted.join(' or ')}`)
}

/**
 * Changes to credentials (e-mail address, second factor, whether one is required) need a confirmed session: otherwise a
 * stolen key or an unattended session could take over the account.
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
