import type { SamlLimits } from '../../platform/limits.ts'
import { attribute, childElements, readXml, type XmlElement } from '../../platform/xml.ts'
import { NAMESPACES, STATUS } from '../names.ts'
import type { Inbound } from './inbound.ts'
import { bounded, boundedList, type Message, readMessage, readTime, textOf } from './message.ts'

const { saml, samlp } = NAMESPACES

/** SAML Core §3.7.1 */
export interface LogoutRequest extends Message {
  nameId: string
  /** Empty: all sessions of that NameID. */
  sessionIndexes: string[]
  notOnOrAfter: number | undefined
}

export const readLogoutRequest = (inbound: Inbound, certificates: string[]): LogoutRequest =>
  readMessage(inbound, 'LogoutRequest', certificates, (root, frame) => {
    const end = attribute(root, 'NotOnOrAfter')
    return {
      ...frame,
      nameId: bounded(textOf(root, saml, 'NameID') ?? '', 'NameID', inbound.max),
      sessionIndexes: boundedList(
        childElements(root, samlp, 'SessionIndex').map(({ content }) => content.trim()),
        'SessionIndex',
        inbound.max,
      ),
      notOnOrAfter: end === undefined ? undefined : readTime(end, 'NotOnOrAfter'),
    }
  })

/** SAML Core §3.7.2 */
interface LogoutResponse {
  inResponseTo: string | undefined
  success: boolean
}

function responseIn(root: XmlElement): LogoutResponse {
  const [status] = childElements(root, samlp, 'Status')
  const [code] = status ? childElements(status, samlp, 'StatusCode') : []
  return {
    inResponseTo: attribute(root, 'InResponseTo'),
    success: code !== undefined && attribute(code, 'Value') === STATUS.success,
  }
}

export const readLogoutResponse = (
  inbound: Inbound,
  certificates: string[],
): Message & LogoutResponse =>
  readMessage(inbound, 'LogoutResponse', certificates, (root, frame) => ({
    ...frame,
    ...responseIn(root),
  }))

/** The answer to a SOAP request. Its signature proves no more than the connection that we opened ourselves. */
export const readSoapLogoutResponse = (xml: Uint8Array, max: SamlLimits): LogoutResponse =>
  readXml(xml, max, (root) => {
    const [body] = childElements(root, NAMESPACES.soap, 'Body')
    const [response] = body ? childElements(body, samlp, 'LogoutResponse') : []
    return response ? responseIn(response) : { inResponseTo: undefined, success: false }
  })
