import type { SsoApplication } from '../applications/index.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { UserSession } from '../portal/index.ts'
import type { UserActor } from '../users/index.ts'

/** What the actions of this slice work with; made once by the composition root. */
export interface SsoSliceContext {
  db: Db
  /** The keys of applications are sealed. */
  sealer: Sealer
  publicUrl: string
  /** Of the portal: an application may ask for the end of a session. */
  sessionEnded: Hook<UserActor, UserSession>
}

interface Endpoints {
  sso: string
  slo: string
  /** Addresses that a request may name as its destination. */
  ssoDestinations: string[]
}

/** The address that the administrator has written down counts as ours, too: a proxy may lead here from it. */
export function endpointsOf(
  { publicUrl }: Pick<SsoSliceContext, 'publicUrl'>,
  { slug, ssoUrl }: Pick<SsoApplication, 'slug' | 'ssoUrl'>,
): Endpoints {
  const sso = `${publicUrl}/saml2/${slug}`
  return {
    sso,
    slo: `${sso}/logout`,
    ssoDestinations: URL.canParse(ssoUrl) ? [sso, ssoUrl] : [sso],
  }
}
