import { forbidden, unauthenticated } from '../platform/errors.ts'
import { isSafe, type Sent } from '../platform/http/foreign-origin.ts'
import { sameSecret } from '../platform/secrets.ts'
import { findVisit, type Visit } from './authenticate.ts'
import type { PortalContext } from './context.ts'
import type { SignInStep } from './next-step.ts'
import { csrfOf, sessionEnded } from './sessions.ts'

/** Whose request it is; `owed` names the unfinished sign-ins that may come here as well. */
export async function admitVisit(
  context: PortalContext,
  request: Sent,
  owed: readonly SignInStep[] = [],
): Promise<Visit> {
  const visit = await findVisit(context, request)
  if (!visit) throw sessionEnded()
  // A cookie comes along by itself, so a change must also carry the token that only our pages know.
  if (!isSafe(request)) {
    const sent = request.headers['x-csrf-token']
    if (typeof sent !== 'string' || !sameSecret(sent, csrfOf(visit.token)))
      throw forbidden('csrf_token', 'Forbidden: x-csrf-token is missing or wrong')
  }
  if (visit.session.owed !== null && !owed.includes(visit.session.owed))
    throw unauthenticated('sign_in_unfinished', 'Unauthorized: the sign-in is not finished yet')
  return visit
}
