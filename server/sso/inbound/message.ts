import { createPublicKey } from 'node:crypto'
import { AppError } from '../../platform/errors.ts'
import type { SamlLimits } from '../../platform/limits.ts'
import { attribute, childElements, readXml, type XmlElement } from '../../platform/xml.ts'
import { quoted } from '../../signon/index.ts'
import { NAMESPACES } from '../names.ts'
import { Refusal } from '../refusal.ts'
import { type Inbound, KNOWN_NAMESPACES } from './inbound.ts'
import { checkPostSignature } from './post-signature.ts'
import { checkRedirectSignature } from './redirect-signature.ts'

/** Common to all messages: SAML Core §3.2. */
export interface Message {
  id: string
  version: string
  issueInstant: number
  destination: string | undefined
  issuer: string
}

/** xs:NCName, the type of an ID; our response repeats it. */
const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}._-]{0,255}$/u
/** xs:dateTime in UTC, as SAML Core §1.3.3 requires; an offset is accepted as well. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

const unreadable = (explanation: string) => new Refusal('unreadable', explanation)

export const textOf = (parent: XmlElement, namespace: string, name: string): string | undefined =>
  childElements(parent, namespace, name)[0]?.content.trim()

/** These values are stored while the user signs in, so they are bounded. */
export function bounded<T extends string | undefined>(
  value: T,
  what: string,
  { valueLength }: SamlLimits,
): T {
  if (value !== undefined && value.length > valueLength)
    throw unreadable(`${what} is longer than ${valueLength} characters`)
  return value
}

export function boundedList(values: string[], what: string, max: SamlLimits): string[] {
  if (values.length > max.values) throw unreadable(`${what} occurs more than ${max.values} times`)
  for (const value of values) bounded(value, what, max)
  return values
}

export function readTime(text: string | undefined, what: string): number {
  const time = text !== undefined && TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw unreadable(`${what} is not a time like 2026-01-31T12:00:00Z`)
  return time
}

function frameOf(root: XmlElement): Message {
  const id = attribute(root, 'ID') ?? ''
  if (!NAME.test(id)) throw unreadable('The ID of the message is missing or not an XML name')
  return {
    id,
    version: attribute(root, 'Version') ?? '',
    issueInstant: readTime(attribute(root, 'IssueInstant'), 'IssueInstant'),
    destination: attribute(root, 'Destination'),
    issuer: textOf(root, NAMESPACES.saml, 'Issuer') ?? '',
  }
}

/**
 * Reads the message of that name. Its signature is verified if the application has a certificate of the service provider;
 * without one it is ignored, since many service providers sign by default.
 */
export function readMessage<T>(
  inbound: Inbound,
  name: 'AuthnRequest' | 'LogoutRequest' | 'LogoutResponse',
  certificates: string[],
  read: (root: XmlElement, frame: Message) => T,
): T {
  const keys = certificates.map((pem) => createPublicKey(pem))
  const signed = keys.length > 0
  if (signed && inbound.binding === 'redirect') checkRedirectSignature(inbound, keys)
  try {
    return readXml(inbound.xml, { ...inbound.max, known: KNOWN_NAMESPACES }, (root) => {
      if (root.name !== name || root.namespaceUri !== NAMESPACES.samlp)
        throw new Refusal('wrong_message', `Expected a ${name}, got <${quoted(root.name)}>`)
      if (signed && inbound.binding === 'post') checkPostSignature(root, keys, inbound.max)
      return read(root, frameOf(root))
    })
  } catch (error) {
    if (error instanceof AppError)
      throw new Refusal('unreadable', quoted(error.message), { cause: error })
    throw error
  }
}
