import { inflateRawSync } from 'node:zlib'
import { Refusal } from '../refusal.ts'

const MAX_BASE64 = 65_536
export const MAX_XML = 65_536

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Line ends are allowed for (RFC 2045). A plus sign that nobody encoded arrives as a space. */
export function decodeBase64(text: string, what: string): Buffer {
  if (text.length > MAX_BASE64)
    throw new Refusal('unreadable', `${what} is larger than ${MAX_BASE64} characters`)
  const compact = text.replace(/[\r\n\t]/g, '').replaceAll(' ', '+')
  if (compact === '' || !BASE64.test(compact))
    throw new Refusal('unreadable', `${what} is not base64`)
  return Buffer.from(compact, 'base64')
}

/** SAML Bindings §3.4.4.1. The bound holds while inflating: a small message may claim to be a large one. */
export function inflate(bytes: Buffer): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: MAX_XML })
  } catch (cause) {
    const why = `The message cannot be inflated (DEFLATE, at most ${MAX_XML} bytes)`
    throw new Refusal('unreadable', why, { cause })
  }
}
