import { quoted } from '../../signon/index.ts'
import { SIGNATURE_METHODS } from '../names.ts'
import { Refusal } from '../refusal.ts'

// Accepted from service providers: RSA with SHA-2 only, so that a message cannot choose a weaker algorithm.
const ACCEPTED = [
  SIGNATURE_METHODS['RSA-SHA256'],
  SIGNATURE_METHODS['RSA-SHA384'],
  SIGNATURE_METHODS['RSA-SHA512'],
]

export function signatureHash(algorithm: string | undefined): string {
  const found = ACCEPTED.find(({ signature }) => signature === algorithm)
  if (!found)
    throw new Refusal(
      'signature_algorithm',
      `The signature algorithm ${quoted(algorithm ?? '')} is not accepted; use RSA with SHA-256 or stronger`,
    )
  return found.hash
}

export function digestHash(algorithm: string | undefined): string {
  const found = ACCEPTED.find(({ digest }) => digest === algorithm)
  if (!found)
    throw new Refusal(
      'signature_algorithm',
      `The digest algorithm ${quoted(algorithm ?? '')} is not accepted; use SHA-256 or stronger`,
    )
  return found.hash
}
