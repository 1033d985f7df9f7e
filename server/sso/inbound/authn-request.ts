import { attribute, childElements, type XmlElement } from '../../platform/xml.ts'
import { NAMESPACES } from '../names.ts'
import type { Inbound } from './inbound.ts'
import { bounded, boundedList, type Message, readMessage, textOf } from './message.ts'

const { saml, samlp } = NAMESPACES

export interface RequestedContext {
  comparison: string
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
  /** Whom the service provider wants to hear about. */
  subject: string | undefined
}

/** xs:boolean */
const flag = (root: XmlElement, name: string) =>
  ['true', '1'].includes(attribute(root, name)?.trim() ?? '')

function policyOf(root: XmlElement): AuthnRequest['nameIdPolicy'] {
  const [policy] = childElements(root, samlp, 'NameIDPolicy')
  return (
    policy && {
      format: bounded(attribute(policy, 'Format'), 'Format'),
      spNameQualifier: bounded(attribute(policy, 'SPNameQualifier'), 'SPNameQualifier'),
    }
  )
}

function contextOf(root: XmlElement): RequestedContext | undefined {
  const [context] = childElements(root, samlp, 'RequestedAuthnContext')
  if (!context) return undefined
  const named = (name: string) =>
    childElements(context, saml, name).map((element) => element.content.trim())
  // Declarations are names of something else than classes; none of ours is one, so asking for them fails as it should.
  return {
    comparison: bounded(attribute(context, 'Comparison') ?? 'exact', 'Comparison'),
    classes: boundedList(
      [...named('AuthnContextClassRef'), ...named('AuthnContextDeclRef')],
      'AuthnContextClassRef',
    ),
  }
}

function subjectOf(root: XmlElement): string | undefined {
  const [subject] = childElements(root, saml, 'Subject')
  return subject && bounded(textOf(subject, saml, 'NameID'), 'NameID')
}

export const readAuthnRequest = (inbound: Inbound, certificate: string | undefined): AuthnRequest =>
  readMessage(inbound, 'AuthnRequest', certificate, (root, frame) => ({
    ...frame,
    acsUrl: attribute(root, 'AssertionConsumerServiceURL'),
    acsIndex: attribute(root, 'AssertionConsumerServiceIndex'),
    protocolBinding: attribute(root, 'ProtocolBinding'),
    forceAuthn: flag(root, 'ForceAuthn'),
    isPassive: flag(root, 'IsPassive'),
    nameIdPolicy: policyOf(root),
    requestedContext: contextOf(root),
    subject: subjectOf(root),
  }))
