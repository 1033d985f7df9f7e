import { channel } from 'node:diagnostics_channel'
import { hash, verify } from '@node-rs/argon2'
import { invalid } from '../platform/errors.ts'

/** OWASP's argon2id parameters: 19 MiB, two passes. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const SHORTEST = 12

export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS)

let decoy: Promise<string> | null = null
/** Hears of each verification, the costly part of a sign-in. */
const verifications = channel('gatehouse.password.verify')

/** As slow for an unknown account as for a known one, so that the time tells nothing. */
export async function checkPassword(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password')
  // Waited for in either case, or the first one would tell.
  const nobody = await decoy
  verifications.publish({ known: stored !== null })
  const matches = await verify(stored ?? nobody, password)
  return stored !== null && matches
}

export function checkPasswordRules(password: string, email: string): void {
  const weak = (why: string) => invalid('weak_password', `password: ${why}`)
  if (password.length < SHORTEST) throw weak(`must have at least ${SHORTEST} characters`)
  if (password.length > 256) throw weak('must have at most 256 characters')
  if (new Set(password).size < 5) throw weak('must have at least five different characters')
  const name = email.split('@')[0]!.toLowerCase()
  if (name.length > 3 && password.toLowerCase().includes(name))
    throw weak('must not contain your name')
}
