import { invalid } from '../platform/errors.ts'
import type { Limits } from '../platform/limits.ts'
import { isUsableKey, readCertificate } from '../platform/x509/certificate.ts'
import {
  attribute,
  childElements,
  childrenByName,
  readXml,
  type XmlElement,
} from '../platform/xml.ts'
import { type ENCRYPTIONS, NAME_ID_FORMATS, type SLO_BINDINGS } from './settings.ts'
import type { AcsUrl, NamedValue } from './sso-config.ts'

// Turns the metadata of a service provider (SAML Metadata §2.4.4) into settings.

const MD = 'urn:oasis:names:tc:SAML:2.0:metadata'
const DS = 'http://www.w3.org/2000/09/xmldsig#'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'
const SOAP = 'urn:oasis:names:tc:SAML:2.0:bindings:SOAP'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/** XML Encryption §5.2, in order of preference. */
const ENCRYPTION_METHODS: [algorithm: string, setting: (typeof ENCRYPTIONS)[number]][] = [
  ['http://www.w3.org/2009/xmlenc11#aes256-gcm', 'AES256-GCM'],
  ['http://www.w3.org/2009/xmlenc11#aes128-gcm', 'AES128-GCM'],
  ['http://www.w3.org/2001/04/xmlenc#aes256-cbc', 'AES256-CBC'],
  ['http://www.w3.org/2001/04/xmlenc#aes128-cbc', 'AES128-CBC'],
]

/** Well-known attribute names, and the user property of each. */
const PROPERTIES = new Map(
  Object.entries({
    'urn:oid:0.9.2342.19200300.100.1.3': 'email',
    mail: 'email',
    email: 'email',
    emailaddress: 'email',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress': 'email',
    'urn:oid:2.5.4.42': 'firstname',
    givenname: 'firstname',
    firstname: 'firstname',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname': 'firstname',
    'urn:oid:2.5.4.4': 'lastname',
    sn: 'lastname',
    surname: 'lastname',
    lastname: 'lastname',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname': 'lastname',
    'urn:oid:2.16.840.1.113730.3.1.241': 'displayname',
    displayname: 'displayname',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name': 'displayname',
    'urn:oid:0.9.2342.19200300.100.1.1': 'username',
    uid: 'username',
    username: 'username',
    'urn:oid:2.16.840.1.113730.3.1.3': 'employeeIdentifier',
    employeenumber: 'employeeIdentifier',
  }),
)

const refuse = (problem: string) => invalid('bad_sp_metadata', `metadata: ${problem}`)

const flag = (element: XmlElement, name: string): boolean =>
  ['true', '1'].includes(attribute(element, name) ?? '')

/** The children of a descriptor, by name. */
type Role = (name: string) => XmlElement[]

interface Found {
  entityId: string
  descriptor: XmlElement
  /** The elements around it, each of which may limit its validity. */
  around: XmlElement[]
}

/** Each entity after the elements around it. Recursive: federations publish nested EntitiesDescriptors. */
function* entitiesIn(
  root: XmlElement,
  outer: XmlElement[] = [],
): Generator<{ entity: XmlElement; around: XmlElement[] }> {
  if (root.namespaceUri !== MD) return
  const around = [...outer, root]
  if (root.name === 'EntityDescriptor') yield { entity: root, around }
  if (root.name !== 'EntitiesDescriptor') return
  const children = childrenByName(root, MD)
  for (const child of [...children('EntityDescriptor'), ...children('EntitiesDescriptor')])
    yield* entitiesIn(child, around)
}

/** SAML Metadata §2.3.1: expired metadata must not be used. */
function checkValidity({ descriptor, around }: Found, now: number): void {
  for (const element of [...around, descriptor]) {
    const validUntil = attribute(element, 'validUntil')
    if (validUntil === undefined) continue
    const end = Date.parse(validUntil)
    if (Number.isNaN(end)) throw refuse(`validUntil "${validUntil}" is not a date`)
    if (end <= now)
      throw invalid(
        'sp_metadata_expired',
        `metadata: expired on ${new Date(end).toISOString()} (validUntil); ask the service provider for a new document`,
      )
  }
}

function chooseProvider(root: XmlElement, wanted: string | undefined): Found {
  const found = [...entitiesIn(root)].flatMap(({ entity, around }): Found[] => {
    const entityId = attribute(entity, 'entityID')
    const descriptor = childElements(entity, MD, 'SPSSODescriptor').find((candidate) =>
      (attribute(candidate, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL),
    )
    return entityId && descriptor ? [{ entityId, descriptor, around }] : []
  })
  if (found.length === 0)
    throw refuse('the document has no SAML 2.0 service provider (SPSSODescriptor)')
  const chosen = found.filter(({ entityId }) => wanted === undefined || entityId === wanted)
  if (chosen.length === 1) return chosen[0]!
  const names = found
    .slice(0, 20)
    .map(({ entityId }) => entityId)
    .join(', ')
  throw invalid(
    'bad_sp_metadata',
    `entityId: must be one of the service providers in the document: ${names}`,
  )
}

/** Responses are sent by POST; other bindings are skipped. */
function acsUrlsOf(role: Role): AcsUrl[] {
  const urls = role('AssertionConsumerService')
    .filter((service) => attribute(service, 'Binding') === POST)
    .map((service, at) => ({
      index: Number(attribute(service, 'index') ?? at),
      isDefault: flag(service, 'isDefault'),
      url: attribute(service, 'Location') ?? '',
    }))
  if (urls.length === 0)
    throw refuse('the service provider has no AssertionConsumerService with the POST binding')
  return urls
}

/** In the format of the setting: a URL, or a JSON array whose members are all strings. */
const acsSetting = (urls: AcsUrl[]): string =>
  urls.length === 1
    ? urls[0]!.url
    : JSON.stringify(
        urls.map(({ index, isDefault, url }) => ({
          index: String(index),
          isDefault: String(isDefault),
          url,
        })),
      )

const keysFor = (role: Role, uses: (string | undefined)[]): XmlElement[] =>
  uses.flatMap((use) => role('KeyDescriptor').filter((key) => attribute(key, 'use') === use))

/**
 * All of them: a service provider that changes its key publishes both for a while, and may already sign with either.
 * Keys that we cannot use are skipped, unless there is no other: then the setting itself refuses them.
 */
function signingCertificates(keys: XmlElement[]): string | undefined {
  const all = keys.map(certificateIn).filter((pem) => pem !== undefined)
  const usable = all.filter((pem) => isUsableKey(readCertificate(pem, 'metadata')))
  const kept = [...new Set(usable.length > 0 ? usable : all)]
  return kept.length > 0 ? kept.join('') : undefined
}

function certificateIn(key: XmlElement | undefined): string | undefined {
  const info = key && childElements(key, DS, 'KeyInfo')[0]
  const data = info && childElements(info, DS, 'X509Data')[0]
  const certificate = data && childElements(data, DS, 'X509Certificate')[0]
  if (!certificate) return undefined
  return readCertificate(certificate.content.replace(/\s/g, ''), 'metadata').toString()
}

/** Our preferred algorithm among those that the service provider lists, if any. */
function encryptionMethodOf(key: XmlElement | undefined): string | undefined {
  const listed = (key ? childElements(key, MD, 'EncryptionMethod') : []).map((method) =>
    attribute(method, 'Algorithm'),
  )
  return ENCRYPTION_METHODS.find(([algorithm]) => listed.includes(algorithm))?.[1]
}

/** The first supported format; undefined leaves it to the template. */
const nameIdFormatOf = (role: Role): string | undefined =>
  role('NameIDFormat')
    .map((format) => format.content.trim())
    .find((format) => (NAME_ID_FORMATS as readonly string[]).includes(format))

function requestedAttributes(role: Role): NamedValue[] {
  const [service] = role('AttributeConsumingService')
  const requested = service ? childElements(service, MD, 'RequestedAttribute') : []
  return requested.flatMap((element) => {
    const name = attribute(element, 'Name') ?? ''
    const friendly = attribute(element, 'FriendlyName') ?? ''
    const value = PROPERTIES.get(name.toLowerCase()) ?? PROPERTIES.get(friendly.toLowerCase())
    return value === undefined ? [] : [{ name, value }]
  })
}

/** In order of preference. */
const LOGOUT_BINDINGS: [name: string, setting: (typeof SLO_BINDINGS)[number]][] = [
  [REDIRECT, 'HTTP-Redirect'],
  [POST, 'HTTP-POST'],
]

/** SAML Metadata §2.2.2. All three or none: the old values belong to the old URL. */
function logoutOf(role: Role): SpSettings {
  const services = role('SingleLogoutService')
  const soap = services.find((candidate) => attribute(candidate, 'Binding') === SOAP)
  const sloSoapUrl = (soap && attribute(soap, 'Location')) || undefined
  for (const [name, sloBinding] of LOGOUT_BINDINGS) {
    const service = services.find((candidate) => attribute(candidate, 'Binding') === name)
    const sloUrl = service && attribute(service, 'Location')
    if (service && sloUrl) {
      const sloResponseUrl = attribute(service, 'ResponseLocation') ?? ''
      return { sloUrl, sloBinding, sloResponseUrl, sloSoapUrl }
    }
  }
  return { sloSoapUrl }
}

/** Values of settings by name; only those that the document specifies. */
export type SpSettings = Record<string, unknown>

export function readSpMetadata(
  xml: string | Uint8Array,
  max: Limits['metadata'],
  wanted?: string,
  now = Date.now(),
): SpSettings {
  return readXml(xml, max, (root) => {
    const found = chooseProvider(root, wanted)
    checkValidity(found, now)
    const { entityId, descriptor } = found
    const role = childrenByName(descriptor, MD)
    const attributes = requestedAttributes(role)
    // A certificate makes signed requests mandatory, so import it only if the service provider signs them.
    const signing = flag(descriptor, 'AuthnRequestsSigned')
      ? keysFor(role, ['signing', undefined])
      : []
    // Only an explicit encryption key: one without a use may be for signatures only.
    const [encryption] = keysFor(role, ['encryption'])
    const settings: SpSettings = {
      spEntityId: entityId,
      acsUrl: acsSetting(acsUrlsOf(role)),
      ...logoutOf(role),
      spCertificate: signingCertificates(signing),
      spEncryptionCertificate: certificateIn(encryption),
      encryptionAlgorithm: encryptionMethodOf(encryption),
      overrideNameIdFormat: nameIdFormatOf(role),
      signAssertion: flag(descriptor, 'WantAssertionsSigned') || undefined,
      databaseAttributes: attributes.length > 0 ? attributes : undefined,
    }
    return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  })
}
