import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { SsoCertificate } from '../applications/index.ts'

const ALG = 'RS256'
const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** RFC 7515, signed on the thread pool with the key of a certificate. */
export async function signJwt(
  { id, privateKey }: Pick<SsoCertificate, 'id' | 'privateKey'>,
  claims: object,
  typ = 'JWT',
): Promise<string> {
  const input = `${encoded({ alg: ALG, typ, kid: id })}.${encoded(claims)}`
  const signature = await promisify(sign)('RSA-SHA256', Buffer.from(input), privateKey)
  return `${input}.${signature.toString('base64url')}`
}

/** RFC 7517. Members are listed one by one, so that no private part can slip through. */
export function toJwk({ id, privateKey }: { id: string; privateKey: KeyObject }) {
  const { kty, n, e } = createPublicKey(privateKey).export({ format: 'jwk' })
  return { kty, n, e, use: 'sig', alg: ALG, kid: id }
}
