import { channel } from 'node:diagnostics_channel'
import { hash, verify } from '@node-rs/argon2'
import { invalid } from '../platform/errors.ts'

/** OWASP's argon2id parameters: 19 MiB, two passes. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const MIN_LENGTH = 12
const MAX_LENGTH = 256

export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS)

let decoy: Promise<string> | null = null
/** Publishes each verification, the expensive part of a sign-in. */
const verifications = channel('gatehouse.password.verify')

/** Takes as long for an unknown account as for a known one, so that timing reveals nothing. */
export async function checkPassword(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password')
  // Awaited in either case, or the first call would be slower.
  const nobody = await decoy
  verifications.publish({ known: stored !== null })
  const matches = await verify(stored ?? nobody, password)
  return stored !== null && matches
}

export function checkPasswordRules(password: string, email: string): void {
  const weak = (problem: string) => invalid('weak_password', `password: ${problem}`)
  if (password.length < MIN_LENGTH) throw weak(`must have at least ${MIN_LENGTH} characters`)
  if (password.length > MAX_LENGTH) throw weak(`must have at most ${MAX_LENGTH} characters`)
  if (new Set(password).size < 5) throw weak('must have at least five different characters')
  const name = email.split('@')[0]!.toLowerCase()
  if (name.length > 3 && password.toLowerCase().includes(name))
    throw weak('must not contain your name')
}
