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

/** Errors without a description: why a user is denied is not the client's business. */
const UNDESCRIBED: readonly OAuthError[] = ['access_denied', 'login_required']

/**
 * A refused request. `error` is for the client; `reason`, a stable code, and `message` are for the administrator.
 */
export class OidcRefusal extends Error {
  readonly error: OAuthError
  readonly reason: string
  /** The user, if known and of this tenant. */
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

  /** Limited to the characters that RFC 6749 allows. */
  get description(): string | undefined {
    if (UNDESCRIBED.includes(this.error)) return undefined
    return this.message.replaceAll('"', "'").replace(/[^\x20-\x7e]|\\/g, '?')
  }
}
