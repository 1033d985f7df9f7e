import { type SigningKey, writeSigned } from './xml-signature.ts'
import { type Element, element, write } from './xml-writer.ts'

/** SOAP 1.1 with the signed message as its body (SAML Bindings §3.2.2). */
export async function inEnvelope(root: Element, key: SigningKey): Promise<string> {
  const signed = await writeSigned(root, key)
  return write(element('soap:Envelope', {}, element('soap:Body', {}, signed)))
}
