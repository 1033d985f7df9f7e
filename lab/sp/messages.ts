import { type KeyObject, X509Certificate } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { messageOf } from '../../server/platform/errors.ts'
import { DEFAULT_LIMITS } from '../../server/platform/limits.ts'
import { attribute, childElements, readXml, type XmlElement } from '../../server/platform/xml.ts'
import { textOf } from '../../server/sso/inbound/message.ts'
import { checkPostSignature } from '../../server/sso/inbound/post-signature.ts'
import { newMessageId } from '../../server/sso/messages/assertion.ts'
import { message } from '../../server/sso/messages/response.ts'
import { element, write } from '../../server/sso/messages/xml-writer.ts'
import { BINDING, NAMESPACES } from '../../server/sso/names.ts'

// The requests of the service provider, and parsing of the responses.

const { saml, samlp, md, ds } = NAMESPACES

/** Base URLs of this service provider and of the identity provider. */
export interface Addresses {
  sp: string
  idp: string
}

export const acsOf = ({ sp }: Pick<Addresses, 'sp'>): string => `${sp}/acs`

/** The entity ID is the base URL. */
export function spMetadata(addresses: Addresses): string {
  const service = element('md:AssertionConsumerService', {
    Binding: BINDING.post,
    Location: acsOf(addresses),
    index: '0',
    isDefault: 'true',
  })
  const descriptor = element('md:SPSSODescriptor', { protocolSupportEnumeration: samlp }, service)
  const entityID = addresses.sp
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(element('md:EntityDescriptor', { entityID }, descriptor))}\n`
}

/** An AuthnRequest in the Redirect binding. */
export function requestAddress(
  { sp, idp }: Addresses,
  options: { application: string; force?: string; passive?: string },
): string {
  const destination = `${idp}/saml2/${encodeURIComponent(options.application)}`
  const root = message('samlp:AuthnRequest', {
    id: newMessageId(),
    now: Date.now(),
    issuer: sp,
    destination,
  })
  const flags = {
    ...(options.force && { ForceAuthn: 'true' }),
    ...(options.passive && { IsPassive: 'true' }),
  }
  const attributes = { ...Object.fromEntries(root.attributes), ...flags }
  const request = write(element(root.name, attributes, ...root.children))
  const query = new URLSearchParams({
    SAMLRequest: deflateRawSync(request).toString('base64'),
    RelayState: options.application,
  })
  return `${destination}?${query}`
}

/** By default the entity ID of the identity provider is the URL of its metadata. */
export const slugOfIssuer = ({ idp }: Addresses, issuer: string): string | undefined =>
  issuer.startsWith(`${idp}/saml2/`) && issuer.endsWith('/metadata')
    ? issuer.slice(`${idp}/saml2/`.length, -'/metadata'.length)
    : undefined

export interface Received {
  issuer: string
  status: string[]
  inResponseTo: string | undefined
  signature: string
  nameId: { value: string; format: string } | undefined
  /** Names and values, in the order of the assertion. */
  facts: [name: string, value: string][]
  attributes: [name: string, values: string[]][]
  xml: string
}

const first = (parent: XmlElement | undefined, namespace: string, name: string) =>
  parent && childElements(parent, namespace, name)[0]

function statusOf(root: XmlElement): string[] {
  const code = first(first(root, samlp, 'Status'), samlp, 'StatusCode')
  const second = first(code, samlp, 'StatusCode')
  return [code, second].flatMap((node) => (node && attribute(node, 'Value')) ?? [])
}

function signatureOf(root: XmlElement, assertion: XmlElement | undefined, key?: KeyObject): string {
  const signed = [assertion, root].find((node) => node && first(node, ds, 'Signature'))
  if (!signed) return 'None'
  const where = signed === root ? 'On the response' : 'On the assertion'
  if (key === undefined) return `${where}; not checked, as the key is unknown`
  try {
    checkPostSignature(signed, [key], DEFAULT_LIMITS.saml)
    return `${where}: valid`
  } catch (error) {
    return `${where}: invalid. ${messageOf(error)}`
  }
}

function factsOf(assertion: XmlElement): [string, string][] {
  const conditions = first(assertion, saml, 'Conditions')
  const restriction = first(conditions, saml, 'AudienceRestriction')
  const statement = first(assertion, saml, 'AuthnStatement')
  const context = first(statement, saml, 'AuthnContext')
  const facts: [string, string | undefined][] = [
    ['Audience', restriction && textOf(restriction, saml, 'Audience')],
    ['Not before', conditions && attribute(conditions, 'NotBefore')],
    ['Not on or after', conditions && attribute(conditions, 'NotOnOrAfter')],
    ['Signed in at', statement && attribute(statement, 'AuthnInstant')],
    ['Session', statement && attribute(statement, 'SessionIndex')],
    ['Authentication context', context && textOf(context, saml, 'AuthnContextClassRef')],
  ]
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined)
}

function attributesOf(assertion: XmlElement): Received['attributes'] {
  return childElements(assertion, saml, 'AttributeStatement').flatMap((statement) =>
    childElements(statement, saml, 'Attribute').map((node): [string, string[]] => [
      attribute(node, 'Name') ?? '',
      childElements(node, saml, 'AttributeValue').map(({ content }) => content),
    ]),
  )
}

/** A user may be in many groups. */
const LIMITS = { ...DEFAULT_LIMITS.saml, bytes: 65_536, elements: 1000, attributes: 1000 }

/** Parses a response and, given a key of the identity provider, checks its signature. */
export function readReceived(xml: Buffer, key?: KeyObject): Received {
  return readXml(xml, LIMITS, (root) => {
    const assertion = first(root, saml, 'Assertion')
    const subject = first(assertion, saml, 'Subject')
    const nameId = first(subject, saml, 'NameID')
    return {
      issuer: textOf(root, saml, 'Issuer') ?? '',
      status: statusOf(root),
      inResponseTo: attribute(root, 'InResponseTo'),
      nameId: nameId && { value: nameId.content, format: attribute(nameId, 'Format') ?? '' },
      facts: assertion ? factsOf(assertion) : [],
      attributes: assertion ? attributesOf(assertion) : [],
      xml: root.toString({ format: true }),
      // Last: it removes the signature from the document.
      signature: signatureOf(root, assertion, key),
    }
  })
}

/** The signing keys of the identity provider: more than one during a certificate rotation. */
export const signingKeys = (metadata: Buffer): KeyObject[] =>
  readXml(metadata, LIMITS, (root) =>
    [
      [md, 'IDPSSODescriptor'],
      [md, 'KeyDescriptor'],
      [ds, 'KeyInfo'],
      [ds, 'X509Data'],
      [ds, 'X509Certificate'],
    ]
      .reduce(
        (nodes, [namespace, name]) =>
          nodes.flatMap((node) => childElements(node, namespace!, name!)),
        [root],
      )
      .map(({ content }) => new X509Certificate(Buffer.from(content, 'base64')).publicKey),
  )
