import { issuerOf, type OidcApplication } from '../applications/index.ts'
import type { OidcContext } from './context.ts'

export const authorizePath = ({ clientId }: Pick<OidcApplication, 'clientId'>, query: string) =>
  `/oidc/${clientId}/authorize?${query}`

export const addressesOf = (
  { publicUrl }: Pick<OidcContext, 'publicUrl'>,
  { clientId }: Pick<OidcApplication, 'clientId'>,
) => {
  const issuer = issuerOf(publicUrl, clientId)
  return {
    issuer,
    authorize: `${issuer}/authorize`,
    token: `${issuer}/token`,
    userinfo: `${issuer}/userinfo`,
    jwks: `${issuer}/jwks`,
    logout: `${issuer}/logout`,
    revoke: `${issuer}/revoke`,
    introspect: `${issuer}/introspect`,
  }
}

/** Appends to the registered URI without rewriting it; it has no fragment. */
export function withAnswer(redirectUri: string, answer: Record<string, string | undefined>) {
  const sent = Object.entries(answer).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  if (sent.length === 0) return redirectUri
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(sent)}`
}
