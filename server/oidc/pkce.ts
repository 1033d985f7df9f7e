import { sameSecret, sha256 } from '../platform/secrets.ts'
import { OidcRefusal } from './refusal.ts'

/** RFC 7636 §4.6. A verifier without a challenge points to a PKCE downgrade attack (RFC 9700 §4.8.2). */
export function checkVerifier(challenge: string | null, verifier: string | undefined): void {
  const refuse = (message: string) => new OidcRefusal('invalid_grant', 'pkce', message)
  if (challenge === null) {
    if (verifier !== undefined)
      throw refuse('code_verifier was sent, but the request had no code_challenge')
    return
  }
  if (verifier === undefined) throw refuse('code_verifier is missing')
  const derived = sha256(verifier).toString('base64url')
  if (!/^[\w.~-]{43,128}$/.test(verifier) || !sameSecret(derived, challenge))
    throw refuse('code_verifier is wrong')
}
