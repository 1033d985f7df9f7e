import type { SamlLimits } from '../../platform/limits.ts'
import { attribute, childElements, type XmlElement } from '../../platform/xml.ts'
import { quoted } from '../../signon/index.ts'
import { NAMESPACES } from '../names.ts'
import { Refusal } from '../refusal.ts'
import type { Inbound } from './inbound.ts'
import { bounded, boundedList, type Message, readMessage, textOf } from './message.ts'

const { saml, samlp } = NAMESPACES

/** SAML Core §3.3.2.2.1 */
const COMPARISONS = ['exact', 'minimum', 'maximum', 'better'] as const

export interface RequestedContext {
  comparison: (typeof COMPARISONS)[number]
  classes: string[]
}

/** SAML Core §3.4.1 */
export interface AuthnRequest extends Message {
  acsUrl: string | undefined
  acsIndex: string | undefined
  protocolBinding: string | undefined
  forceAuthn: boolean
  isPassive: boolean
  nameIdPolicy: { format: string | undefined; spNameQualifier: string | undefined } | undefined
  requestedContext: RequestedContext | undefined
  /** The user whom the service provider asks about. */
  subject: string | undefined
}

/** xs:boolean */
const flag = (root: XmlElement, name: string) =>
  ['true', '1'].includes(attribute(root, name)?.trim() ?? '')

function policyOf(root: XmlElement, max: SamlLimits): AuthnRequest['nameIdPolicy'] {
  const [policy] = childElements(root, samlp, 'NameIDPolicy')
  return (
    policy && {
      format: bounded(attribute(policy, 'Format'), 'Format', max),
      spNameQualifier: bounded(attribute(policy, 'SPNameQualifier'), 'SPNameQualifier', max),
    }
  )
}

/** Any other value is refused: ignoring it would admit the user without the requested class. */
function comparisonOf(context: XmlElement): RequestedContext['comparison'] {
  const asked = attribute(context, 'Comparison') ?? 'exact'
  const known = COMPARISONS.find((word) => word === asked)
  if (!known)
    throw new Refusal(
      'unreadable',
      `Comparison is "${quoted(asked)}"; it must be one of ${COMPARISONS.join(', ')}`,
    )
  return known
}

function contextOf(root: XmlElement, max: SamlLimits): RequestedContext | undefined {
  const [context] = childElements(root, samlp, 'RequestedAuthnContext')
  if (!context) return undefined
  const named = (name: string) =>
    childElements(context, saml, name).map((element) => element.content.trim())
  // Declarations are not classes and we support none, so a request for them fails as it should.
  return {
    comparison: comparisonOf(context),
    classes: boundedList(
      [...named('AuthnContextClassRef'), ...named('AuthnContextDeclRef')],
      'AuthnContextClassRef',
      max,
    ),
  }
}

function subjectOf(root: XmlElement, max: SamlLimits): string | undefined {
  const [subject] = childElements(root, saml, 'Subject')
  return subject && bounded(textOf(subject, saml, 'NameID'), 'NameID', max)
}

export const readAuthnRequest = (inbound: Inbound, certificates: string[]): AuthnRequest =>
  readMessage(inbound, 'AuthnRequest', certificates, (root, frame) => ({
    ...frame,
    acsUrl: attribute(root, 'AssertionConsumerServiceURL'),
    acsIndex: attribute(root, 'AssertionConsumerServiceIndex'),
    protocolBinding: attribute(root, 'ProtocolBinding'),
    forceAuthn: flag(root, 'ForceAuthn'),
    isPassive: flag(root, 'IsPassive'),
    nameIdPolicy: policyOf(root, inbound.max),
    requestedContext: contextOf(root, inbound.max),
    subject: subjectOf(root, inbound.max),
  }))
