import { inflateRawSync } from 'node:zlib'
import type { SamlLimits } from '../../platform/limits.ts'
import { Refusal } from '../refusal.ts'

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Line breaks are allowed (RFC 2045). An unencoded plus sign arrives as a space. */
export function decodeBase64(text: string, what: string, { bytes }: SamlLimits): Buffer {
  // Base64 adds a third, line breaks some more.
  const limit = 2 * bytes
  if (text.length > limit)
    throw new Refusal('unreadable', `${what} is longer than ${limit} characters`)
  const compact = text.replace(/[\r\n\t]/g, '').replaceAll(' ', '+')
  if (compact === '' || !BASE64.test(compact))
    throw new Refusal('unreadable', `${what} is not valid base64`)
  return Buffer.from(compact, 'base64')
}

/** SAML Bindings §3.4.4.1. The limit applies during inflation, against decompression bombs. */
export function inflate(deflated: Buffer, { bytes: limit }: SamlLimits): Buffer {
  try {
    return inflateRawSync(deflated, { maxOutputLength: limit })
  } catch (cause) {
    const why = `The message cannot be inflated (DEFLATE, at most ${limit} bytes)`
    throw new Refusal('unreadable', why, { cause })
  }
}
