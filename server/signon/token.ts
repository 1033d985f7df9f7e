import { isId } from '../platform/ids.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'

/** A secret that names its tenant, so that its row can be found under row-level security. */
export interface Token {
  text: string
  organizationId: string
  hash: Buffer
}

export function newToken(organizationId: string): Token {
  const secret = randomToken()
  return { text: `${organizationId}.${secret}`, organizationId, hash: sha256(secret) }
}

export function readToken(text: string): Token | undefined {
  const [organizationId = '', secret = ''] = text.split('.')
  if (!isId(organizationId) || secret === '') return undefined
  return { text: `${organizationId}.${secret}`, organizationId, hash: sha256(secret) }
}
