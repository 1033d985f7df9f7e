import { allCertificates, type OidcApplication } from '../applications/index.ts'
import { ACR_VALUES } from './acr.ts'
import { addressesOf } from './addresses.ts'
import { PROMPTS, SCOPES } from './authorization-request.ts'
import { CLAIM_NAMES } from './claims.ts'
import type { OidcContext } from './context.ts'
import { toJwk } from './jwt.ts'

/** OpenID Connect Discovery §3, for one application: what it may use, not all that the service supports. */
export function configurationOf(
  context: Pick<OidcContext, 'publicUrl'>,
  application: OidcApplication,
) {
  const { issuer, authorize, token, userinfo, jwks, logout, revoke, introspect } = addressesOf(
    context,
    application,
  )
  const isConfidential = application.secretHash !== null
  const methods = [application.tokenEndpointAuthMethod]
  return {
    issuer,
    authorization_endpoint: authorize,
    token_endpoint: token,
    userinfo_endpoint: userinfo,
    jwks_uri: jwks,
    end_session_endpoint: logout,
    revocation_endpoint: revoke,
    revocation_endpoint_auth_methods_supported: methods,
    ...(isConfidential && {
      introspection_endpoint: introspect,
      introspection_endpoint_auth_methods_supported: methods,
    }),
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: application.grantTypes,
    subject_types_supported: [application.subjectType],
    acr_values_supported: ACR_VALUES,
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: PROMPTS,
    claims_supported: [...CLAIM_NAMES, 'auth_time', 'acr', 'amr', 'nonce', 'sid'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    // RFC 9207
    authorization_response_iss_parameter_supported: true,
  }
}

/** The current, next and previous signing keys. */
export const jwksOf = ({ certificates }: Pick<OidcApplication, 'certificates'>) => ({
  keys: allCertificates(certificates).map(toJwk),
})
