import { hash, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { limits } from '../../platform/limits.ts'
import {
  attribute,
  childElements,
  elementsBelow,
  XmlC14NMode,
  type XmlElement,
} from '../../platform/xml.ts'
import { ENVELOPED_SIGNATURE, EXCLUSIVE_C14N, NAMESPACES } from '../names.ts'
import { Refusal } from '../refusal.ts'
import { decodeBase64 } from './encoding.ts'
import { digestHash, signatureHash } from './signature-methods.ts'

// XML Signature in the one form that SAML Core §5.4 allows. All else is refused, because a verifier that follows
// references and transforms wherever they lead can be led elsewhere than the reader of the values.

const wrong = (explanation: string) => new Refusal('signature_wrong', explanation)

const children = (parent: XmlElement, name: string) => childElements(parent, NAMESPACES.ds, name)

function only(parent: XmlElement, name: string): XmlElement {
  const [first, second] = children(parent, name)
  if (!first || second) throw wrong(`${parent.name} must hold one ${name}`)
  return first
}

const algorithmOf = (element: XmlElement) => attribute(element, 'Algorithm')

/** Prefixes that count although no name uses them (InclusiveNamespaces). */
function inclusivePrefixes(method: XmlElement): string[] {
  const [list] = childElements(method, EXCLUSIVE_C14N, 'InclusiveNamespaces')
  const prefixes = (list && attribute(list, 'PrefixList')?.split(/\s+/).filter(Boolean)) ?? []
  // Each is looked for at each element.
  const most = limits.saml.prefixes
  if (prefixes.length > most) throw wrong(`InclusiveNamespaces has more than ${most} prefixes`)
  return prefixes
}

/** By the set of one: asked for its subtree, the library makes an object of every node of the document. */
const canonical = (element: XmlElement, inclusiveNamespacePrefixes: string[]): string =>
  element.doc.canonicalizeToString({
    mode: XmlC14NMode.XML_C14N_EXCLUSIVE_1_0,
    inclusiveNamespacePrefixes,
    nodeSet: new Set([element]),
  })

/** The signature, which is a child of the root and the only one anywhere. */
function signatureIn(root: XmlElement): XmlElement {
  const everywhere = [...elementsBelow(root)].filter(({ name }) => name === 'Signature')
  if (everywhere.length === 0)
    throw new Refusal(
      'signature_missing',
      'The request is not signed, and the application has a certificate of the service provider (spCertificate). Switch signing on there, or take the certificate away here.',
    )
  const [direct] = children(root, 'Signature')
  if (!direct || everywhere.length > 1)
    throw wrong('There must be one signature, directly in the request')
  return direct
}

/** The prefixes of the transforms, which are these two in this order. */
function transformsOf(reference: XmlElement): string[] {
  const transforms = children(only(reference, 'Transforms'), 'Transform')
  const [first, second, third] = transforms
  if (!first || !second || third) throw wrong('There must be two transforms')
  if (algorithmOf(first) !== ENVELOPED_SIGNATURE || algorithmOf(second) !== EXCLUSIVE_C14N)
    throw wrong('The transforms must be enveloped-signature and exclusive canonicalization')
  return inclusivePrefixes(second)
}

function referenceIn(info: XmlElement, root: XmlElement) {
  const reference = only(info, 'Reference')
  const id = attribute(root, 'ID')
  if (!id || attribute(reference, 'URI') !== `#${id}`)
    throw wrong('The signature must be about the request itself, by its ID')
  return {
    prefixes: transformsOf(reference),
    hash: digestHash(algorithmOf(only(reference, 'DigestMethod'))),
    digest: decodeBase64(only(reference, 'DigestValue').content.trim(), 'DigestValue'),
  }
}

/**
 * Verifies the signature of the document and takes it out. Values are read from this very document afterwards. The key
 * is the one we know; a KeyInfo is not looked at.
 */
export function checkPostSignature(root: XmlElement, key: KeyObject): void {
  const signature = signatureIn(root)
  const info = only(signature, 'SignedInfo')
  const method = only(info, 'CanonicalizationMethod')
  if (algorithmOf(method) !== EXCLUSIVE_C14N)
    throw wrong('The signature must use exclusive canonicalization')
  const hashName = signatureHash(algorithmOf(only(info, 'SignatureMethod')))
  const { prefixes, hash: digestName, digest } = referenceIn(info, root)
  const value = decodeBase64(only(signature, 'SignatureValue').content.trim(), 'SignatureValue')
  const signed = Buffer.from(canonical(info, inclusivePrefixes(method)))
  const good = verify(hashName, signed, key, value)
  signature.remove()
  const found = hash(digestName, canonical(root, prefixes), 'buffer')
  if (!good || found.length !== digest.length || !timingSafeEqual(found, digest))
    throw wrong(
      'The signature does not fit the request and the certificate of the service provider (spCertificate). Has it changed its key?',
    )
}
