import type { SsoApplication } from '../applications/index.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Limits } from '../platform/limits.ts'
import type { Outbound } from '../platform/outbound/client.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { UserSession } from '../portal/index.ts'
import type { IsProvisioned, LogoutContext } from '../signon/index.ts'
import type { UserActor } from '../users/index.ts'

/** Dependencies of this slice's actions; built once by the composition root. */
export interface SsoSliceContext {
  db: Db
  limits: Limits
  /** Unseals the private keys of applications. */
  sealer: Sealer
  publicUrl: string
  isProvisioned: IsProvisioned
  /** The portal's hook: an application may end a session by a logout request. */
  sessionEnded: Hook<UserActor, UserSession>
  send: SendJob
  /** Sends logout requests by SOAP. */
  outbound: Outbound
  logout: LogoutContext
}

interface Endpoints {
  sso: string
  slo: string
  /** URLs accepted as the Destination of a request. */
  ssoDestinations: string[]
}

/** The configured ssoUrl is accepted as a destination as well: a proxy may forward it to us. */
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
