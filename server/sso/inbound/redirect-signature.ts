import { type KeyObject, verify } from 'node:crypto'
import { Refusal } from '../refusal.ts'
import type { Inbound } from './inbound.ts'
import { signatureHash } from './signature-methods.ts'

/** SAML Bindings §3.4.4.1; by one of the registered keys, whatever the message says. */
export function checkRedirectSignature({ signature }: Inbound, keys: KeyObject[]): void {
  if (!signature)
    throw new Refusal(
      'signature_missing',
      'The request is not signed, but the application has a certificate of the service provider (spCertificate). Turn on signing at the service provider, or remove the certificate.',
    )
  const hash = signatureHash(signature.algorithm)
  const { octets, value } = signature
  const signedBy = (key: KeyObject) =>
    octets.some((form) => verify(hash, Buffer.from(form), key, value))
  if (!keys.some(signedBy))
    throw new Refusal(
      'signature_wrong',
      'The signature does not match the certificate of the service provider (spCertificate). Has the service provider changed its key?',
    )
}
