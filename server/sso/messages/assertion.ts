import { randomBytes } from 'node:crypto'
import { type Element, element } from './xml-writer.ts'

/** SAML Core §1.3.4: at least 128 random bits. The underscore makes it a valid xs:ID. */
export const newMessageId = (): string => `_${randomBytes(20).toString('hex')}`

/** Whole seconds: some parsers reject fractions. */
export const instant = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`

export interface NameId {
  value: string
  format: string
}

export interface Attribute {
  name: string
  values: string[]
}

export interface AssertionInput {
  id: string
  now: number
  issuer: string
  audience: string
  /** The ACS URL. */
  recipient: string
  /** Absent if IdP-initiated. */
  inResponseTo: string | undefined
  nameId: NameId
  sessionIndex: string
  authenticatedAt: number
  authnContext: string
  attributes: Attribute[]
}

/** How long the assertion may be presented. */
const VALID_MS = 5 * 60_000
/** Tolerated clock skew. */
const SKEW_MS = 60_000

const URI = /^(urn|https?):/i
const NAME_FORMAT = 'urn:oasis:names:tc:SAML:2.0:attrname-format'

const attributeElement = ({ name, values }: Attribute): Element =>
  element(
    'saml:Attribute',
    { Name: name, NameFormat: `${NAME_FORMAT}:${URI.test(name) ? 'uri' : 'unspecified'}` },
    ...values.map((value) => element('saml:AttributeValue', {}, value)),
  )

/** SAML Profiles §4.1.4.2: the required content for the web browser SSO profile. */
export function assertion(input: AssertionInput): Element {
  const { now, nameId, attributes } = input
  const notOnOrAfter = instant(now + VALID_MS)
  return element(
    'saml:Assertion',
    { ID: input.id, IssueInstant: instant(now), Version: '2.0' },
    element('saml:Issuer', {}, input.issuer),
    element(
      'saml:Subject',
      {},
      element('saml:NameID', { Format: nameId.format }, nameId.value),
      element(
        'saml:SubjectConfirmation',
        { Method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer' },
        element('saml:SubjectConfirmationData', {
          InResponseTo: input.inResponseTo,
          NotOnOrAfter: notOnOrAfter,
          Recipient: input.recipient,
        }),
      ),
    ),
    element(
      'saml:Conditions',
      { NotBefore: instant(now - SKEW_MS), NotOnOrAfter: notOnOrAfter },
      element('saml:AudienceRestriction', {}, element('saml:Audience', {}, input.audience)),
    ),
    element(
      'saml:AuthnStatement',
      { AuthnInstant: instant(input.authenticatedAt), SessionIndex: input.sessionIndex },
      element(
        'saml:AuthnContext',
        {},
        element('saml:AuthnContextClassRef', {}, input.authnContext),
      ),
    ),
    attributes.length === 0
      ? undefined
      : element('saml:AttributeStatement', {}, ...attributes.map(attributeElement)),
  )
}
