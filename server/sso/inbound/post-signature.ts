import { hash, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import type { SamlLimits } from '../../platform/limits.ts'
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

// XML Signature in the one form that SAML Core §5.4 allows. Anything else is refused: a verifier that follows arbitrary
// references and transforms can verify other elements than those whose values are read (signature wrapping).

const wrong = (explanation: string) => new Refusal('signature_wrong', explanation)

const children = (parent: XmlElement, name: string) => childElements(parent, NAMESPACES.ds, name)

function only(parent: XmlElement, name: string): XmlElement {
  const [first, second] = children(parent, name)
  if (!first || second) throw wrong(`${parent.name} must contain exactly one ${name}`)
  return first
}

const algorithmOf = (element: XmlElement) => attribute(element, 'Algorithm')

/** Prefixes to include although no name uses them (InclusiveNamespaces). */
function inclusivePrefixes(method: XmlElement, { prefixes: limit }: SamlLimits): string[] {
  const [list] = childElements(method, EXCLUSIVE_C14N, 'InclusiveNamespaces')
  const prefixes = (list && attribute(list, 'PrefixList')?.split(/\s+/).filter(Boolean)) ?? []
  // Each prefix is looked up at each element.
  if (prefixes.length > limit) throw wrong(`InclusiveNamespaces has more than ${limit} prefixes`)
  return prefixes
}

/** By a node set of one: for a subtree, the library would wrap every node of the document in an object. */
const canonical = (element: XmlElement, inclusiveNamespacePrefixes: string[]): string =>
  element.doc.canonicalizeToString({
    mode: XmlC14NMode.XML_C14N_EXCLUSIVE_1_0,
    inclusiveNamespacePrefixes,
    nodeSet: new Set([element]),
  })

/** The signature: a child of the root, and the only one in the document. */
function signatureIn(root: XmlElement): XmlElement {
  const everywhere = [...elementsBelow(root)].filter(({ name }) => name === 'Signature')
  if (everywhere.length === 0)
    throw new Refusal(
      'signature_missing',
      'The request is not signed, but the application has a certificate of the service provider (spCertificate). Turn on signing at the service provider, or remove the certificate.',
    )
  const [direct] = children(root, 'Signature')
  if (!direct || everywhere.length > 1)
    throw wrong('There must be exactly one signature, a direct child of the request')
  return direct
}

/** The prefixes of the transforms, which must be these two in this order. */
function transformsOf(reference: XmlElement, max: SamlLimits): string[] {
  const transforms = children(only(reference, 'Transforms'), 'Transform')
  const [first, second, third] = transforms
  if (!first || !second || third) throw wrong('There must be exactly two transforms')
  if (algorithmOf(first) !== ENVELOPED_SIGNATURE || algorithmOf(second) !== EXCLUSIVE_C14N)
    throw wrong('The transforms must be enveloped-signature, then exclusive canonicalization')
  return inclusivePrefixes(second, max)
}

function referenceIn(info: XmlElement, root: XmlElement, max: SamlLimits) {
  const reference = only(info, 'Reference')
  const id = attribute(root, 'ID')
  if (!id || attribute(reference, 'URI') !== `#${id}`)
    throw wrong('The signature must reference the request itself by its ID')
  return {
    prefixes: transformsOf(reference, max),
    hash: digestHash(algorithmOf(only(reference, 'DigestMethod'))),
    digest: decodeBase64(only(reference, 'DigestValue').content.trim(), 'DigestValue', max),
  }
}

/**
 * Verifies the signature of the document and removes it. Values are then read from this same document. The key is one of
 * those registered; KeyInfo is ignored.
 */
export function checkPostSignature(root: XmlElement, keys: KeyObject[], max: SamlLimits): void {
  const signature = signatureIn(root)
  const info = only(signature, 'SignedInfo')
  const method = only(info, 'CanonicalizationMethod')
  if (algorithmOf(method) !== EXCLUSIVE_C14N)
    throw wrong('The signature must use exclusive canonicalization')
  const hashName = signatureHash(algorithmOf(only(info, 'SignatureMethod')))
  const { prefixes, hash: digestName, digest } = referenceIn(info, root, max)
  const value = decodeBase64(
    only(signature, 'SignatureValue').content.trim(),
    'SignatureValue',
    max,
  )
  const signed = Buffer.from(canonical(info, inclusivePrefixes(method, max)))
  const good = keys.some((key) => verify(hashName, signed, key, value))
  signature.remove()
  const found = hash(digestName, canonical(root, prefixes), 'buffer')
  if (!good || found.length !== digest.length || !timingSafeEqual(found, digest))
    throw wrong(
      'The signature does not match the request and the certificate of the service provider (spCertificate). Has the service provider changed its key?',
    )
}
