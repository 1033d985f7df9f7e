import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { unauthenticated } from '../platform/errors.ts'

// System context: the specification's part on signed requests, after draft-cavage-http-signatures-00.

/** Clocks of systems may be this far from ours, either way. */
export const WINDOW_MS = 5 * 60_000

interface PresentedSignature {
  systemId: string
  signature: Buffer
}

const malformed = (what: string) => unauthenticated('signature_malformed', `Unauthorized: ${what}`)

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
  if (missing !== undefined) throw malformed(`${missing} is missing in Authorization`)
  return found
}

/** Every parameter once, in any order, and nothing else. */
export function parseAuthorization(value: string): PresentedSignature {
  const parameters = parametersOf(value.replace(/^signature\s+/i, ''))
  const [, systemId] = /^system\/([0-9a-f]{24})$/.exec(parameters.get('keyId')!) ?? []
  if (systemId === undefined) throw malformed('keyId must be system/ and the system key')
  // Without this the draft would sign the date alone, for any request at all.
  if (parameters.get('headers') !== 'request-line date')
    throw malformed('headers must be "request-line date"')
  // Named by us, not by the caller: whoever may choose the algorithm may choose a weak one.
  if (parameters.get('algorithm') !== 'rsa-sha256') throw malformed('algorithm must be rsa-sha256')
  const text = parameters.get('signature')!
  const signature = Buffer.from(text, 'base64')
  if (!BASE64.test(text) || signature.toString('base64') !== text)
    throw malformed('signature must be Base64 without line breaks')
  return { systemId, signature }
}

/** The instant of a Date header in the one form that is accepted: Sun, 06 Nov 1994 08:49:37 GMT. */
export function parseDate(value: string | undefined, now: number): number {
  const instant = value === undefined ? Number.NaN : Date.parse(value)
  if (Number.isNaN(instant) || new Date(instant).toUTCString() !== value)
    throw malformed('a Date header such as "Sun, 06 Nov 1994 08:49:37 GMT" is required, once')
  if (Math.abs(now - instant) > WINDOW_MS) {
    throw unauthenticated(
      'signature_date',
      'Unauthorized: Date is more than five minutes away from the time of the service',
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

const SMALLEST_KEY = 2048

/** The key in the form it is kept in, or null when it is none that may sign. */
export function readPublicKey(pem: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: pem, format: 'pem' })
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    return key.asymmetricKeyType === 'rsa' && bits >= SMALLEST_KEY && bits <= 8192 ? key : null
  } catch {
    return null
  }
}
