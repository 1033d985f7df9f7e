import { createPublicKey } from 'node:crypto'
import { AppError } from '../../platform/errors.ts'
import { limits } from '../../platform/limits.ts'
import { attribute, childElements, readXml, type XmlElement } from '../../platform/xml.ts'
import { quoted } from '../../signon/index.ts'
import { NAMESPACES } from '../names.ts'
import { Refusal } from '../refusal.ts'
import { type Inbound, KNOWN_NAMESPACES } from './inbound.ts'
import { checkPostSignature } from './post-signature.ts'
import { checkRedirectSignature } from './redirect-signature.ts'

/** What every message carries: SAML Core §3.2. */
export interface Message {
  id: string
  version: string
  issueInstant: number
  destination: string | undefined
  issuer: string
}

/** xs:NCName, which an ID is; it comes back in our answer. */
const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}._-]{0,255}$/u
/** xs:dateTime in UTC, as SAML Core §1.3.3 wants it; an offset is understood, too. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

const unreadable = (explanation: string) => new Refusal('unreadable', explanation)

export const textOf = (parent: XmlElement, namespace: string, name: string): string | undefined =>
  childElements(parent, namespace, name)[0]?.content.trim()

/** What a request asks for waits with it while somebody signs in, so it has a bound. */
export function bounded<T extends string | undefined>(value: T, what: string): T {
  const { valueLength } = limits.saml
  if (value !== undefined && value.length > valueLength)
    throw unreadable(`${what} is longer than ${valueLength} characters`)
  return value
}

export function boundedList(values: string[], what: string): string[] {
  const most = limits.saml.values
  if (values.length > most) throw unreadable(`There are more than ${most} of ${what}`)
  for (const value of values) bounded(value, what)
  return values
}

export function readTime(text: string | undefined, what: string): number {
  const time = text !== undefined && TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw unreadable(`${what} is not a time like 2026-01-31T12:00:00Z`)
  return time
}

function frameOf(root: XmlElement): Message {
  const id = attribute(root, 'ID') ?? ''
  if (!NAME.test(id)) throw unreadable('The ID of the request is missing, or is not an XML name')
  return {
    id,
    version: attribute(root, 'Version') ?? '',
    issueInstant: readTime(attribute(root, 'IssueInstant'), 'IssueInstant'),
    destination: attribute(root, 'Destination'),
    issuer: textOf(root, NAMESPACES.saml, 'Issuer') ?? '',
  }
}

/**
 * The message of that name, its signature verified where we have a certificate of the service provider. Without one a
 * signature says nothing to us; many sign by habit.
 */
export function readMessage<T>(
  inbound: Inbound,
  name: 'AuthnRequest' | 'LogoutRequest' | 'LogoutResponse',
  certificate: string | undefined,
  read: (root: XmlElement, frame: Message) => T,
): T {
  const key = certificate === undefined ? undefined : createPublicKey(certificate)
  if (key && inbound.binding === 'redirect') checkRedirectSignature(inbound, key)
  try {
    return readXml(inbound.xml, { ...limits.saml, known: KNOWN_NAMESPACES }, (root) => {
      if (root.name !== name || root.namespaceUri !== NAMESPACES.samlp)
        throw new Refusal('wrong_message', `A ${name} is expected here, not <${quoted(root.name)}>`)
      if (key && inbound.binding === 'post') checkPostSignature(root, key)
      return read(root, frameOf(root))
    })
  } catch (error) {
    if (error instanceof AppError)
      throw new Refusal('unreadable', quoted(error.message), { cause: error })
    throw error
  }
}
