import { createHmac, randomBytes } from 'node:crypto'

// Standard Webhooks 1.0 (standardwebhooks.com): receivers can verify with existing libraries.

const PREFIX = 'whsec_'
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export const newSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/** The key of a secret; null when it is malformed. */
export function keyOf(secret: string): Buffer | null {
  if (!secret.startsWith(PREFIX) || !BASE64.test(secret.slice(PREFIX.length))) return null
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return key.length >= 24 && key.length <= 64 ? key : null
}

/** One signature per secret, so that a receiver may know the old or the new one. */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  now: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', keyOf(secret) ?? '').update(`${id}.${timestamp}.${body}`)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
