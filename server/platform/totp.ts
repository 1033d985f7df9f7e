import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { sha256 } from './secrets.ts'

const PERIOD = 30
const RECOVERY_CODES = 10
// Without look-alike characters.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

const totpOf = (secret: string, label = '', issuer = '') =>
  new TOTP({
    issuer,
    label,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD,
  })

export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

/**
 * For the QR code. The issuer tells several accounts in one app apart. Apps split the label at its first colon, so
 * names must have none.
 */
export const totpAddress = (secret: string, email: string, issuer: string): string =>
  totpOf(secret, email, issuer.replaceAll(':', ' ')).toString()

/**
 * The counter of the code, or null when it is wrong. One step of clock skew is allowed either way; a counter at or
 * below the last used one is a replay (RFC 6238 §5.2).
 */
export function verifyTotp(
  secret: string,
  code: string,
  lastCounter: number | null,
  now = Date.now(),
): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window: 1 })
  if (delta === null) return null
  const counter = Math.floor(now / 1000 / PERIOD) + delta
  return lastCounter !== null && counter <= lastCounter ? null : counter
}

/** Ten single-use codes. With 74 bits each, leaked hashes cannot be brute-forced. */
export function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const pick = () => ALPHABET[randomInt(ALPHABET.length)]
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    inGroups(Array.from({ length: 15 }, pick).join('')),
  )
  return { codes, hashes: codes.map(hashRecoveryCode) }
}

const inGroups = (code: string): string => code.match(/.{1,5}/g)?.join('-') ?? ''

/** Ignores case, spaces and dashes. */
export const hashRecoveryCode = (code: string): string =>
  sha256(inGroups(code.toLowerCase().replace(/[^a-z0-9]/g, ''))).toString('hex')
