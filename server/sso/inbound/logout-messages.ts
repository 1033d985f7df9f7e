import { attribute, childElements } from '../../platform/xml.ts'
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

export const readLogoutRequest = (
  inbound: Inbound,
  certificates: string[],
): LogoutRequest =>
  readMessage(inbound, 'LogoutRequest', certificates, (root, frame) => {
    const end = attribute(root, 'NotOnOrAfter')
    return {
      ...frame,
      nameId: bounded(textOf(root, saml, 'NameID') ?? '', 'NameID'),
      sessionIndexes: boundedList(
        childElements(root, samlp, 'SessionIndex').map(({ content }) => content.trim()),
        'SessionIndex',
      ),
      notOnOrAfter: end === undefined ? undefined : readTime(end, 'NotOnOrAfter'),
    }
  })

/** SAML Core §3.7.2 */
interface LogoutResponse extends Message {
  inResponseTo: string | undefined
  success: boolean
}

export const readLogoutResponse = (
  inbound: Inbound,
  certificates: string[],
): LogoutResponse =>
  readMessage(inbound, 'LogoutResponse', certificates, (root, frame) => {
    const [status] = childElements(root, samlp, 'Status')
    const [code] = status ? childElements(status, samlp, 'StatusCode') : []
    return {
      ...frame,
      inResponseTo: attribute(root, 'InResponseTo'),
      success: code !== undefined && attribute(code, 'Value') === STATUS.success,
    }
  })
