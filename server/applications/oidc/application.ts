import type { SsoContext } from '../context.ts'
import type { GrantType, SubjectType, TokenEndpointAuthMethod } from '../settings.ts'
import { certificatesOf, type SsoCertificates } from '../sso.ts'
import { findSsoRow } from '../sso-store.ts'
import { findClient, findOidcRow } from './store.ts'

/** An OpenID Connect application. */
export interface OidcApplication {
  organizationId: string
  id: string
  /** The template. */
  name: string
  displayLabel: string
  /** Where the portal opens it; also recorded in events. */
  ssoUrl: string
  active: boolean
  clientId: string
  /** Null: a public client. */
  secretHash: Buffer | null
  redirectUris: string[]
  grantTypes: GrantType[]
  tokenEndpointAuthMethod: TokenEndpointAuthMethod
  /** In seconds. */
  accessTokenLifespan: number
  postLogoutRedirectUris: string[]
  /** Empty: not told in this way. */
  frontchannelLogoutUri: string
  backchannelLogoutUri: string
  subjectType: SubjectType
  certificates: SsoCertificates
}

/**
 * Each application is a separate issuer: its keys, which an administrator may have supplied, sign for it alone
 * (decision 0013).
 */
export const issuerOf = (publicUrl: string, clientId: string): string =>
  `${publicUrl}/oidc/${clientId}`

/** Of any tenant: at first, a request identifies only the client. */
export async function findOidcApplication(
  context: SsoContext,
  clientId: string,
): Promise<OidcApplication | undefined> {
  const found = await findClient(context.db, clientId)
  return found && findOidcApplicationById(context, found.tenant, found.application_id)
}

export async function findOidcApplicationById(
  context: SsoContext,
  organizationId: string,
  id: string,
): Promise<OidcApplication | undefined> {
  const tenant = context.db.tenant(organizationId)
  const [row, settings] = await Promise.all([
    findSsoRow(tenant, organizationId, id),
    findOidcRow(tenant, organizationId, id),
  ])
  const certificates = row && (await certificatesOf(context, row))
  if (!certificates || !settings) return undefined
  return {
    organizationId,
    id,
    name: row.name,
    displayLabel: row.display_label,
    ssoUrl: settings.sso_url,
    active: row.active,
    clientId: settings.client_id,
    secretHash: settings.secret_hash,
    redirectUris: settings.redirect_uris,
    grantTypes: settings.grant_types,
    tokenEndpointAuthMethod: settings.token_endpoint_auth_method,
    accessTokenLifespan: settings.access_token_lifespan,
    postLogoutRedirectUris: settings.post_logout_redirect_uris,
    frontchannelLogoutUri: settings.frontchannel_logout_uri,
    backchannelLogoutUri: settings.backchannel_logout_uri,
    subjectType: settings.subject_type,
    certificates,
  }
}
