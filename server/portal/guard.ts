import { forbidden, unauthenticated } from '../platform/errors.ts'
import { isSafe, type Sent } from '../platform/http/foreign-origin.ts'
import { sameSecret } from '../platform/secrets.ts'
import { findVisit, type Visit } from './authenticate.ts'
import type { PortalContext } from './context.ts'
import type { SignInStep } from './next-step.ts'
import { csrfOf, sessionEnded } from './sessions.ts'

/** Authenticates the request; `owed` lists the pending steps that are also admitted. */
export async function admitVisit(
  context: PortalContext,
  request: Sent,
  owed: readonly SignInStep[] = [],
): Promise<Visit> {
  const visit = await findVisit(context, request)
  if (!visit) throw sessionEnded()
  // Browsers attach cookies to cross-site requests, so a change must also carry the CSRF token.
  if (!isSafe(request)) {
    const sent = request.headers['x-csrf-token']
    if (typeof sent !== 'string' || !sameSecret(sent, csrfOf(visit.token)))
      throw forbidden('csrf_token', 'Forbidden: x-csrf-token is missing or wrong')
  }
  if (visit.session.owed !== null && !owed.includes(visit.session.owed))
    throw unauthenticated('sign_in_unfinished', 'Unauthorized: the sign-in is not finished yet')
  return visit
}
