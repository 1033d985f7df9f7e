import { timingSafeEqual } from 'node:crypto'
import type { OidcApplication } from '../applications/index.ts'
import { sha256 } from '../platform/secrets.ts'
import type { Params } from './params.ts'
import { OidcRefusal } from './refusal.ts'

const refuse = (message: string) =>
  new OidcRefusal('invalid_client', 'client_authentication', message)

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

/** The secret, sent by the one method that the client is registered for. */
function sentSecret(
  { clientId, tokenEndpointAuthMethod }: OidcApplication,
  authorization: string | undefined,
  params: Params,
): string | undefined {
  const inForm = params.get('client_secret')
  if (tokenEndpointAuthMethod !== 'client_secret_basic') {
    if (authorization !== undefined)
      throw refuse(
        `the client is registered for ${tokenEndpointAuthMethod}, but sent an Authorization header`,
      )
    if (params.get('client_id') !== clientId) throw refuse('client_id is missing or wrong')
    return inForm
  }
  if (inForm !== undefined)
    throw refuse('the client is registered for client_secret_basic, but sent client_secret')
  if (authorization === undefined) throw refuse('the Authorization header is missing')
  const { id, secret } = readBasic(authorization)
  if (id !== clientId || (params.get('client_id') ?? clientId) !== clientId)
    throw refuse('the client ID does not match the URL')
  return secret
}

/** Throws unless the request comes from the client itself. */
export function authenticateClient(
  application: OidcApplication,
  authorization: string | undefined,
  params: Params,
): void {
  const secret = sentSecret(application, authorization, params)
  const { secretHash } = application
  if (secretHash === null) {
    if (secret !== undefined) throw refuse('the client has no secret, but sent one')
    return
  }
  if (secret === undefined || !timingSafeEqual(sha256(secret), secretHash))
    throw refuse('the secret is missing or wrong')
}
