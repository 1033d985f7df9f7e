import type { SsoApplication } from '../applications/index.ts'
import type { Client } from '../platform/caller.ts'
import type { PortalContext, UserSession } from '../portal/index.ts'
import type { UserRow } from '../users/index.ts'

/** What the actions of this slice work with: what the portal works with. */
export type SsoSliceContext = PortalContext

export interface SignedIn {
  session: UserSession
  user: UserRow
}

/** A browser that came here. */
export interface Visitor {
  client: Client
  /** Who is signed in; asked for only where the answer depends on it. */
  person: () => Promise<SignedIn | undefined>
}

export interface Endpoints {
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
