import { forbidden, unauthenticated } from '../platform/errors.ts'
import { sameSecret } from '../platform/secrets.ts'
import { findVisit, type Visit } from './authenticate.ts'
import type { PortalContext } from './context.ts'
import type { Owed } from './owed.ts'
import { csrfOf, sessionEnded } from './sessions.ts'

/** What of a request the guard looks at. */
export interface Guarded {
  method: string
  headers: Record<string, string | string[] | undefined> & { cookie?: string | undefined }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A page of somebody else must neither use a session nor open one that the person takes for their own. Browsers say
 * where a request comes from; what says nothing is no browser and carries no cookie of a person.
 */
export function refuseForeign(publicUrl: string, { method, headers }: Guarded): void {
  if (SAFE_METHODS.has(method)) return
  const site = headers['sec-fetch-site']
  const { origin, host } = headers
  const own =
    typeof origin !== 'string' ||
    origin === new URL(publicUrl).origin ||
    (URL.canParse(origin) && new URL(origin).host === host)
  if ((site !== undefined && site !== 'same-origin') || !own)
    throw forbidden('foreign_origin', 'Forbidden: this request comes from another site')
}

/** Whose request it is; `owed` names the unfinished sign-ins that may come here as well. */
export async function admitVisit(
  context: PortalContext,
  request: Guarded,
  owed: readonly Owed[] = [],
): Promise<Visit> {
  const visit = await findVisit(context, request)
  if (!visit) throw sessionEnded()
  // A cookie comes along by itself, so a change must also carry the token that only our pages know.
  if (!SAFE_METHODS.has(request.method)) {
    const sent = request.headers['x-csrf-token']
    if (typeof sent !== 'string' || !sameSecret(sent, csrfOf(visit.token)))
      throw forbidden('csrf_token', 'Forbidden: x-csrf-token is missing or wrong')
  }
  if (visit.session.owed !== null && !owed.includes(visit.session.owed))
    throw unauthenticated('sign_in_unfinished', 'Unauthorized: the sign-in is not finished yet')
  return visit
}
