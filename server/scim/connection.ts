/** Secrets are in plain text. */
export type ScimAuth =
  | { type: 'bearer'; token: string }
  | { type: 'basic'; username: string; password: string }
  | { type: 'header'; name: string; value: string }
  | ({ type: 'oauth' } & OAuthClient)

/** RFC 6749 §4.4: client credentials. */
export interface OAuthClient {
  tokenUrl: string
  clientId: string
  clientSecret: string
  scope?: string
  audience?: string
}

export interface ScimConnection {
  /** With or without a trailing slash; its query goes with every request. */
  baseUrl: string
  auth: ScimAuth
  /** Concurrent requests. */
  concurrency: number
  perSecond?: number
}
