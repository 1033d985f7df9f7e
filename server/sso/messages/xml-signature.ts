import { hash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import {
  ENVELOPED_SIGNATURE,
  EXCLUSIVE_C14N,
  SIGNATURE_METHODS,
  type SignatureMethod,
} from '../names.ts'
import { type Element, element, type Written, write, writeAround } from './xml-writer.ts'

/** On the thread pool: an RSA signature takes about as long as a hundred requests wait for. */
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

/** The base64 of a PEM, without its frame and line ends. */
export const pemBody = (pem: string): string => pem.replace(/-----[^-]+-----|\s/g, '')

export const keyInfo = (certificatePem: string): Element =>
  element(
    'ds:KeyInfo',
    {},
    element('ds:X509Data', {}, element('ds:X509Certificate', {}, pemBody(certificatePem))),
  )

function signedInfo(id: string, digest: string, method: SignatureMethod): Element {
  const { signature, digest: digestMethod } = SIGNATURE_METHODS[method]
  return element(
    'ds:SignedInfo',
    {},
    element('ds:CanonicalizationMethod', { Algorithm: EXCLUSIVE_C14N }),
    element('ds:SignatureMethod', { Algorithm: signature }),
    element(
      'ds:Reference',
      { URI: `#${id}` },
      element(
        'ds:Transforms',
        {},
        element('ds:Transform', { Algorithm: ENVELOPED_SIGNATURE }),
        element('ds:Transform', { Algorithm: EXCLUSIVE_C14N }),
      ),
      element('ds:DigestMethod', { Algorithm: digestMethod }),
      element('ds:DigestValue', {}, digest),
    ),
  )
}

/**
 * The element with an enveloped signature behind its first child, which is the Issuer (SAML Core §5.4.1 and the order of
 * the schemas). The element has an ID and is the outermost that its signature covers.
 */
export async function writeSigned(root: Element, key: SigningKey): Promise<Written> {
  const id = root.attributes.find(([name]) => name === 'ID')![1]
  const { hash: hashName } = SIGNATURE_METHODS[key.method]
  const [head, tail] = writeAround(root)
  const info = signedInfo(id, hash(hashName, head + tail, 'base64'), key.method)
  // Signed as if it stood alone, with its namespace on it; in the document the namespace stands on its parent.
  const value = await signBytes(hashName, Buffer.from(write(info)), key.privateKey)
  const signature = element(
    'ds:Signature',
    {},
    info,
    element('ds:SignatureValue', {}, value.toString('base64')),
    keyInfo(key.certificate),
  )
  return { written: head + write(signature) + tail }
}

/** SAML Bindings §3.4.4.1: for messages in an address, over its octets. */
export async function signOctets(octets: string, key: SigningKey): Promise<string> {
  const { hash: hashName } = SIGNATURE_METHODS[key.method]
  return (await signBytes(hashName, Buffer.from(octets), key.privateKey)).toString('base64')
}
