import { createPublicKey, verify } from 'node:crypto'
import { allCertificates, type OidcApplication } from '../applications/index.ts'
import { addressesOf } from './addresses.ts'
import type { OidcContext } from './context.ts'
import { OidcRefusal } from './refusal.ts'

interface Hint {
  sub: string
  sid: string | undefined
}

const refuse = (problem: string) =>
  new OidcRefusal('invalid_request', 'id_token_hint', `id_token_hint ${problem}`)

function parsed(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString()))
  } catch {
    throw refuse('is not a JWT')
  }
}

/** An ID token that we issued to this client. It may have expired (OpenID Connect RP-Initiated Logout §2). */
export function readIdTokenHint(
  context: Pick<OidcContext, 'publicUrl'>,
  application: OidcApplication,
  token: string,
): Hint {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const { kid, alg } = parsed(header)
  const key = allCertificates(application.certificates).find(({ id }) => id === kid)
  const input = Buffer.from(`${header}.${claims}`)
  const signed =
    key !== undefined &&
    alg === 'RS256' &&
    verify(
      'RSA-SHA256',
      input,
      createPublicKey(key.privateKey),
      Buffer.from(signature, 'base64url'),
    )
  if (!signed) throw refuse('is not signed by this issuer')
  const { iss, aud, sub, sid } = parsed(claims)
  const { issuer } = addressesOf(context, application)
  if (iss !== issuer || aud !== application.clientId) throw refuse('is for another client')
  return { sub: String(sub), sid: typeof sid === 'string' ? sid : undefined }
}
