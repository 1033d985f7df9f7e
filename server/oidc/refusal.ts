/** RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6. */
export type OAuthError =
  | 'invalid_request'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'unauthorized_client'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_token'
  | 'unsupported_grant_type'

/** Why people are kept out is between them and their administrator. */
const UNTOLD: readonly OAuthError[] = ['access_denied', 'login_required']

/**
 * A request that gets nothing. `error` is for the client; `reason`, a stable word, and `message` are for the administrator.
 */
export class OidcRefusal extends Error {
  readonly error: OAuthError
  readonly reason: string
  /** Who it is about, where that is known and may be told. */
  readonly user: { id: string; username: string } | undefined

  constructor(
    error: OAuthError,
    reason: string,
    explanation: string,
    { user, ...options }: ErrorOptions & { user?: OidcRefusal['user'] } = {},
  ) {
    super(explanation.toWellFormed().replaceAll('\0', ''), options)
    this.name = 'OidcRefusal'
    this.error = error
    this.reason = reason
    this.user = user
  }

  /** In the characters that RFC 6749 allows. */
  get description(): string | undefined {
    if (UNTOLD.includes(this.error)) return undefined
    return this.message.replaceAll('"', "'").replace(/[^\x20-\x7e]|\\/g, '?')
  }
}
