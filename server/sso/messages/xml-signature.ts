import { hash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { memo } from '../../platform/memo.ts'
import {
  ENVELOPED_SIGNATURE,
  EXCLUSIVE_C14N,
  NAMESPACES,
  SIGNATURE_METHODS,
  type SignatureMethod,
} from '../names.ts'
import { type Element, element, type Written, write, writeAround } from './xml-writer.ts'

/** On the thread pool: an RSA signature would block the event loop for the time of many requests. */
const signBytes = promisify(
  (
    hashName: string,
    data: Buffer,
    key: KeyObject,
    done: (error: Error | null, data: Buffer) => void,
  ) => sign(hashName, data, key, done),
)

export interface SigningKey {
  privateKey: KeyObject
  /** PEM. */
  certificate: string
  method: SignatureMethod
}

/** The base64 of a PEM, without header, footer and line breaks. */
const pemBody = (pem: string): string => pem.replace(/-----[^-]+-----|\s/g, '')

export const keyInfo = (certificatePem: string): Element =>
  element(
    'ds:KeyInfo',
    {},
    element('ds:X509Data', {}, element('ds:X509Certificate', {}, pemBody(certificatePem))),
  )

const signedInfo = (
  id: string,
  digest: string,
  method: { signature: string; digest: string },
): Element =>
  element(
    'ds:SignedInfo',
    {},
    element('ds:CanonicalizationMethod', { Algorithm: EXCLUSIVE_C14N }),
    element('ds:SignatureMethod', { Algorithm: method.signature }),
    element(
      'ds:Reference',
      { URI: `#${id}` },
      element(
        'ds:Transforms',
        {},
        element('ds:Transform', { Algorithm: ENVELOPED_SIGNATURE }),
        element('ds:Transform', { Algorithm: EXCLUSIVE_C14N }),
      ),
      element('ds:DigestMethod', { Algorithm: method.digest }),
      element('ds:DigestValue', {}, digest),
    ),
  )

/** The SignedInfo split around the two values that vary per message; neither needs escaping. */
const infoParts = memo((method: { signature: string; digest: string }) =>
  write(signedInfo('{id}', '{digest}', method), ['ds']).split(/{id}|{digest}/),
)
/**
 * The element with an enveloped signature after its first child, the Issuer (SAML Core §5.4.1 and the order of the
 * schemas). The element has an ID and is the root of what its signature covers.
 */
export async function writeSigned(root: Element, key: SigningKey): Promise<Written> {
  const id = root.attributes.find(([name]) => name === 'ID')![1]
  const method = SIGNATURE_METHODS[key.method]
  const [head, tail] = writeAround(root)
  const [start, middle, end] = infoParts(method)
  const info = `${start}${id}${middle}${hash(method.hash, head + tail, 'base64')}${end}`
  // Canonicalized on its own, SignedInfo declares the namespace itself; in the document its parent does.
  const alone = info.replace('<ds:SignedInfo', `$& xmlns:ds="${NAMESPACES.ds}"`)
  const value = await signBytes(method.hash, Buffer.from(alone), key.privateKey)
  const signature = element(
    'ds:Signature',
    {},
    { written: info },
    element('ds:SignatureValue', {}, value.toString('base64')),
    { written: write(keyInfo(key.certificate), ['ds']) },
  )
  return { written: head + write(signature) + tail }
}

/** SAML Bindings §3.4.4.1: signs the query string of the redirect binding. */
export async function signOctets(octets: string, key: SigningKey): Promise<string> {
  const { hash: hashName } = SIGNATURE_METHODS[key.method]
  return (await signBytes(hashName, Buffer.from(octets), key.privateKey)).toString('base64')
}
