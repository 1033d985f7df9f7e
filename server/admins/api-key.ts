import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { sha256 } from '../platform/secrets.ts'

const PREFIX = 'gh_'
const checksum = (body: string): string => crc32(body).toString(16).padStart(8, '0')

/** 256 random bits; the checksum detects a mistyped key without a database query, and helps secret scanners. */
export function newApiKey(): string {
  const body = randomBytes(32).toString('base64url')
  return `${PREFIX}${body}${checksum(body)}`
}

/** Keys chosen by the operator have no prefix and no checksum. */
export function looksValid(key: string): boolean {
  if (!key.startsWith(PREFIX)) return true
  const body = key.slice(PREFIX.length, -8)
  return key.endsWith(checksum(body))
}

/** The stored hash. A random 256-bit value needs no salt and no slow hash. */
export const hashKey = (key: string): Buffer => sha256(key)

/** Enough to recognize a key in a list, not enough to guess it. */
export const keyPrefix = (key: string): string => key.slice(0, 8)
