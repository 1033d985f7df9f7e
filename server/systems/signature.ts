import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { unauthenticated } from '../platform/errors.ts'

// System context: signed requests as in the specification, based on draft-cavage-http-signatures-00.

/** Allowed clock skew, either way. */
export const WINDOW_MS = 5 * 60_000

interface PresentedSignature {
  systemId: string
  signature: Buffer
}

const malformed = (problem: string) =>
  unauthenticated('signature_malformed', `Unauthorized: ${problem}`)

const PARAMETER = /^([A-Za-z]+)="([^"\\]*)"$/
const NAMES = ['keyId', 'headers', 'algorithm', 'signature']
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

function parametersOf(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const part of text.split(',')) {
    const [, name = '', value = ''] = PARAMETER.exec(part.trim()) ?? []
    if (!NAMES.includes(name))
      throw malformed(
        'Authorization must be Signature keyId="…",headers="request-line date",algorithm="rsa-sha256",signature="…"',
      )
    if (found.has(name)) throw malformed(`${name} appears twice in Authorization`)
    found.set(name, value)
  }
  const missing = NAMES.find((name) => !found.has(name))
  if (missing !== undefined) throw malformed(`${missing} is missing from Authorization`)
  return found
}

/** Requires each parameter exactly once, in any order, and no others. */
export function parseAuthorization(value: string): PresentedSignature {
  const parameters = parametersOf(value.replace(/^signature\s+/i, ''))
  const [, systemId] = /^system\/([0-9a-f]{24})$/.exec(parameters.get('keyId')!) ?? []
  if (systemId === undefined) throw malformed('keyId must be system/ followed by the system key')
  // The draft's default signs only the date, which would be valid for any request.
  if (parameters.get('headers') !== 'request-line date')
    throw malformed('headers must be "request-line date"')
  // Fixed here: a caller that may choose the algorithm may choose a weak one.
  if (parameters.get('algorithm') !== 'rsa-sha256') throw malformed('algorithm must be rsa-sha256')
  const text = parameters.get('signature')!
  const signature = Buffer.from(text, 'base64')
  if (!BASE64.test(text) || signature.toString('base64') !== text)
    throw malformed('signature must be Base64 without line breaks')
  return { systemId, signature }
}

/** Parses the only accepted form of the Date header: Sun, 06 Nov 1994 08:49:37 GMT. */
export function parseDate(value: string | undefined, now: number): number {
  const instant = value === undefined ? Number.NaN : Date.parse(value)
  if (Number.isNaN(instant) || new Date(instant).toUTCString() !== value)
    throw malformed('exactly one Date header such as "Sun, 06 Nov 1994 08:49:37 GMT" is required')
  if (Math.abs(now - instant) > WINDOW_MS) {
    throw unauthenticated(
      'signature_date',
      "Unauthorized: Date is more than five minutes away from the service's clock",
    )
  }
  return instant
}

/**
 * The bytes the system signed. Target and date are used exactly as received: tidying either here would accept
 * requests the system never made. The version is always written HTTP/1.1, whatever the connection speaks.
 */
export const signingString = (method: string, target: string, date: string): string =>
  `${method} ${target} HTTP/1.1\ndate: ${date}`

/** RSASSA-PKCS1-v1_5 with SHA-256. */
export const isSignedBy = (publicKey: string, text: string, signature: Buffer): boolean =>
  verify('RSA-SHA256', Buffer.from(text), publicKey, signature)

const MIN_KEY_BITS = 2048

/** The key, or null when it cannot be parsed or is not an RSA key of an accepted size. */
export function readPublicKey(pem: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: pem, format: 'pem' })
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    return key.asymmetricKeyType === 'rsa' && bits >= MIN_KEY_BITS && bits <= 8192 ? key : null
  } catch {
    return null
  }
}
