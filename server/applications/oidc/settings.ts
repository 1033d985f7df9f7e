import { invalid } from '../../platform/errors.ts'
import type { OidcWrite } from '../schema.ts'
import type { OidcTemplate } from '../templates/schema.ts'
import { LOOPBACK, wrongAddress } from '../web-address.ts'
import type { OidcRow } from './store.ts'

// Validates the OpenID Connect settings of a request and turns them into stored values.

const refuse = (field: string, problem: string) => invalid('bad_oidc', `oidc.${field}: ${problem}`)

const DEFAULT_LIFESPAN = 3600

function checkAddress(field: string, value: string): void {
  const wrong = wrongAddress(value, LOOPBACK)
  if (wrong !== null) throw refuse(field, wrong)
}

type Read = Omit<OidcRow, 'client_id' | 'secret_hash'>

/** A full write: missing members take the template's defaults. */
export function readOidc(template: OidcTemplate, sent: OidcWrite): Read {
  const { redirectUris } = sent
  for (const [at, uri] of redirectUris.entries()) checkAddress(`redirectUris[${at}]`, uri)
  const postLogout = sent.postLogoutRedirectUris ?? []
  for (const [at, uri] of postLogout.entries()) checkAddress(`postLogoutRedirectUris[${at}]`, uri)
  for (const name of ['frontchannelLogoutUri', 'backchannelLogoutUri'] as const)
    if (sent[name]) checkAddress(name, sent[name])
  const ssoUrl = sent.ssoUrl ?? template.ssoUrl
  if (ssoUrl !== '') checkAddress('ssoUrl', ssoUrl)
  const grantTypes = sent.grantTypes ?? template.grantTypes
  if (!grantTypes.includes('authorization_code'))
    throw refuse('grantTypes', 'must include authorization_code')
  const method = sent.tokenEndpointAuthMethod ?? template.tokenEndpointAuthMethod
  if (method === 'none' && sent.newClientSecret)
    throw refuse('newClientSecret', 'a client with tokenEndpointAuthMethod none has no secret')
  return {
    redirect_uris: [...new Set(redirectUris)],
    grant_types: [...new Set(grantTypes)],
    token_endpoint_auth_method: method,
    access_token_lifespan: sent.accessTokenLifespan ?? DEFAULT_LIFESPAN,
    sso_url: ssoUrl,
    post_logout_redirect_uris: [...new Set(postLogout)],
    frontchannel_logout_uri: sent.frontchannelLogoutUri ?? '',
    backchannel_logout_uri: sent.backchannelLogoutUri ?? '',
    subject_type: sent.subjectType ?? 'pairwise',
  }
}
