import { quoted } from '../../signon/index.ts'
import { ACCEPTED_METHODS } from '../names.ts'
import { Refusal } from '../refusal.ts'

export function signatureHash(algorithm: string | undefined): string {
  const found = ACCEPTED_METHODS.find(({ signature }) => signature === algorithm)
  if (!found)
    throw new Refusal(
      'signature_algorithm',
      `The signature algorithm ${quoted(algorithm ?? '')} is not accepted; use RSA with SHA-256 or stronger`,
    )
  return found.hash
}

export function digestHash(algorithm: string | undefined): string {
  const found = ACCEPTED_METHODS.find(({ digest }) => digest === algorithm)
  if (!found)
    throw new Refusal(
      'signature_algorithm',
      `The digest algorithm ${quoted(algorithm ?? '')} is not accepted; use SHA-256 or stronger`,
    )
  return found.hash
}
