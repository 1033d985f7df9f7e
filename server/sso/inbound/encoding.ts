import { inflateRawSync } from 'node:zlib'
import { limits } from '../../platform/limits.ts'
import { Refusal } from '../refusal.ts'

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Line ends are allowed for (RFC 2045). A plus sign that nobody encoded arrives as a space. */
export function decodeBase64(text: string, what: string): Buffer {
  // A third more than the bytes, and line ends.
  const most = 2 * limits.saml.bytes
  if (text.length > most)
    throw new Refusal('unreadable', `${what} is larger than ${most} characters`)
  const compact = text.replace(/[\r\n\t]/g, '').replaceAll(' ', '+')
  if (compact === '' || !BASE64.test(compact))
    throw new Refusal('unreadable', `${what} is not base64`)
  return Buffer.from(compact, 'base64')
}

/** SAML Bindings §3.4.4.1. The bound holds while inflating: a small message may claim to be a large one. */
export function inflate(bytes: Buffer): Buffer {
  const most = limits.saml.bytes
  try {
    return inflateRawSync(bytes, { maxOutputLength: most })
  } catch (cause) {
    const why = `The message cannot be inflated (DEFLATE, at most ${most} bytes)`
    throw new Refusal('unreadable', why, { cause })
  }
}
