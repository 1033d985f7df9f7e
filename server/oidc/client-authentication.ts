import { timingSafeEqual } from 'node:crypto'
import type { OidcApplication } from '../applications/index.ts'
import { sha256 } from '../platform/secrets.ts'
import type { Params } from './params.ts'
import { OidcRefusal } from './refusal.ts'

const refuse = (words: string) => new OidcRefusal('invalid_client', 'client_authentication', words)

const unescaped = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** RFC 6749 §2.3.1: both parts are form-encoded. */
function readBasic(authorization: string): { id: string | undefined; secret: string | undefined } {
  if (!/^basic /i.test(authorization)) throw refuse('the Authorization header is not Basic')
  const text = Buffer.from(authorization.slice(6), 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 0) throw refuse('the Authorization header has no secret')
  return { id: unescaped(text.slice(0, colon)), secret: unescaped(text.slice(colon + 1)) }
}

/** The secret, brought in the one way that the client is registered for. */
function broughtSecret(
  { clientId, tokenEndpointAuthMethod }: OidcApplication,
  authorization: string | undefined,
  params: Params,
): string | undefined {
  const inForm = params.get('client_secret')
  if (tokenEndpointAuthMethod !== 'client_secret_basic') {
    if (authorization !== undefined)
      throw refuse(`the client is registered for ${tokenEndpointAuthMethod}, not for a header`)
    if (params.get('client_id') !== clientId) throw refuse('client_id is missing or another one')
    return inForm
  }
  if (inForm !== undefined)
    throw refuse('the client is registered for client_secret_basic, not for a secret in the form')
  if (authorization === undefined) throw refuse('the Authorization header is missing')
  const { id, secret } = readBasic(authorization)
  if (id !== clientId || (params.get('client_id') ?? clientId) !== clientId)
    throw refuse('the client is another one')
  return secret
}

/** Passes for the client itself only. */
export function authenticateClient(
  application: OidcApplication,
  authorization: string | undefined,
  params: Params,
): void {
  const secret = broughtSecret(application, authorization, params)
  const { secretHash } = application
  if (secretHash === null) {
    if (secret !== undefined) throw refuse('a client without a secret has sent one')
    return
  }
  if (secret === undefined || !timingSafeEqual(sha256(secret), secretHash))
    throw refuse('the secret is missing or wrong')
}
