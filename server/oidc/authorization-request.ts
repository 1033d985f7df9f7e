import type { OidcApplication } from '../applications/index.ts'
import { quoted } from '../signon/index.ts'
import type { Params } from './params.ts'
import { isRegistered } from './redirect-uris.ts'
import { type OAuthError, OidcRefusal } from './refusal.ts'

// Parses and checks an authorization request. Nothing here depends on the user.

export const SCOPES = ['openid', 'email', 'profile', 'groups'] as const
export type Scope = (typeof SCOPES)[number]
export const PROMPTS = ['none', 'login', 'select_account', 'consent'] as const

/** Our own parameter on the URL that the browser returns to: sign-ins before this time do not count. */
const FRESH_SINCE = 'fresh_since'

export interface AuthorizationRequest {
  redirectUri: string
  state: string | undefined
  nonce: string | undefined
  scopes: Scope[]
  /** PKCE, S256. */
  challenge: string | undefined
  /** prompt=none: show no page. */
  silent: boolean
  /** Users who signed in before this time must sign in again. */
  freshSince: number | undefined
  /** The identifier to sign in with, for the form. */
  loginHint: string | undefined
  /** An ID token of the user that the client expects. */
  idTokenHint: string | undefined
}

/** Where responses go. Until it is verified, errors are shown as pages and never redirected. */
export function readRedirectUri(
  { clientId, redirectUris }: OidcApplication,
  params: Params,
): string {
  const client = params.required('client_id')
  if (client !== clientId)
    throw new OidcRefusal(
      'invalid_request',
      'client_differs',
      `client_id is "${quoted(client)}", but the URL is that of ${clientId}`,
    )
  const uri = params.required('redirect_uri')
  if (!isRegistered(uri, redirectUris))
    throw new OidcRefusal(
      'invalid_request',
      'redirect_uri_unknown',
      `"${quoted(uri)}" is not registered (oidc.redirectUris)`,
    )
  return uri
}

const UNSUPPORTED: Record<string, OAuthError> = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
}

function readScopes(params: Params): Scope[] {
  const requested = (params.get('scope') ?? '').split(' ')
  if (!requested.includes('openid'))
    throw new OidcRefusal('invalid_scope', 'scope_missing', 'scope must contain openid')
  // OpenID Connect Core §3.1.2.1: unknown scopes are ignored. The token response lists the granted ones.
  return SCOPES.filter((scope) => requested.includes(scope))
}

/** RFC 7636. Required for public clients, which nothing else authenticates. */
function readChallenge(application: OidcApplication, params: Params): string | undefined {
  const challenge = params.get('code_challenge')
  const method = params.get('code_challenge_method')
  const refuse = (message: string) => new OidcRefusal('invalid_request', 'pkce', message)
  if (challenge === undefined) {
    if (method !== undefined) throw refuse('code_challenge is missing')
    if (application.secretHash === null)
      throw refuse('code_challenge is missing; a client without a secret must send one')
    return undefined
  }
  if (method !== 'S256') throw refuse('code_challenge_method must be S256')
  if (!/^[\w-]{43}$/.test(challenge)) throw refuse('code_challenge is not a base64url SHA-256 hash')
  return challenge
}

function readNumber(params: Params, name: string): number | undefined {
  const value = params.get(name)
  if (value === undefined) return undefined
  if (!/^\d{1,15}$/.test(value))
    throw new OidcRefusal('invalid_request', 'bad_parameter', `${name} is not a number`)
  return Number(value)
}

function readPrompt(params: Params): string[] {
  const prompts = (params.get('prompt') ?? '').split(' ').filter((word) => word !== '')
  const known: readonly string[] = PROMPTS
  if (!prompts.every((prompt) => known.includes(prompt)))
    throw new OidcRefusal(
      'invalid_request',
      'bad_parameter',
      `prompt must be one of ${PROMPTS.join(', ')}`,
    )
  if (prompts.includes('none') && prompts.length > 1)
    throw new OidcRefusal(
      'invalid_request',
      'bad_parameter',
      'prompt none cannot be combined with others',
    )
  return prompts
}

/** Selecting an account means signing in again; consent is ignored, since the administrator has given it. */
const forcesSignIn = (prompts: string[]): boolean =>
  prompts.includes('login') || prompts.includes('select_account')

export function readAuthorizationRequest(
  application: OidcApplication,
  redirectUri: string,
  params: Params,
  now: number,
): AuthorizationRequest {
  for (const [name, error] of Object.entries(UNSUPPORTED))
    if (params.get(name) !== undefined)
      throw new OidcRefusal(error, 'not_supported', `${name} is not supported`)
  if (params.required('response_type') !== 'code')
    throw new OidcRefusal(
      'unsupported_response_type',
      'not_supported',
      'response_type must be code',
    )
  if ((params.get('response_mode') ?? 'query') !== 'query')
    throw new OidcRefusal('invalid_request', 'not_supported', 'response_mode must be query')
  const prompts = readPrompt(params)
  const maxAge = readNumber(params, 'max_age')
  const since = [
    ...(forcesSignIn(prompts) ? [now] : []),
    ...(maxAge === undefined ? [] : [now - maxAge * 1000]),
    // A time in the future would ask for a sign-in forever.
    ...[readNumber(params, FRESH_SINCE)].filter((at) => at !== undefined && at <= now),
  ] as number[]
  return {
    redirectUri,
    state: params.get('state'),
    nonce: params.get('nonce'),
    scopes: readScopes(params),
    challenge: readChallenge(application, params),
    silent: prompts.includes('none'),
    freshSince: since.length > 0 ? Math.max(...since) : undefined,
    loginHint: params.get('login_hint'),
    idTokenHint: params.get('id_token_hint'),
  }
}

const CARRIED = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
] as const

/**
 * The same request for the return from signing in: it asks again only if that sign-in is too old as well. A user who
 * removes the parameter could have edited the first URL too; `auth_time` tells the client the truth.
 */
export function afterSignIn(params: Params, { freshSince }: AuthorizationRequest): string {
  const query = params.query(CARRIED)
  if (freshSince !== undefined) query.set(FRESH_SINCE, String(freshSince))
  return query.toString()
}
