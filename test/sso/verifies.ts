import { DOMParser } from '@xmldom/xmldom'
import { SignedXml } from 'xml-crypto'

/**
 * Whether the signature of the element with this name, and its digest, are valid under the certificate: by xml-crypto,
 * which needs no program. What xmlsec1 says of all forms of messages is in messages.test.ts.
 */
export function verifies(xml: string, certificatePem: string, signed: string): boolean {
  const element = new DOMParser().parseFromString(xml).getElementsByTagName(signed)[0]
  if (!element) return false
  const signature = Array.from(element.childNodes).find(
    (node) => (node as Element).localName === 'Signature',
  )
  if (!signature) return false
  const verifier = new SignedXml({ publicCert: certificatePem, getCertFromKeyInfo: () => null })
  verifier.loadSignature(signature)
  try {
    return (
      verifier.checkSignature(xml) &&
      verifier.getReferences()[0]?.uri === `#${element.getAttribute('ID')}`
    )
  } catch {
    return false
  }
}
