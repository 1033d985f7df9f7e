import { STATUS } from '../names.ts'
import { instant } from './assertion.ts'
import { encryptAssertion, type Recipient } from './encryption.ts'
import { type SigningKey, writeSigned } from './xml-signature.ts'
import { type Element, element, type Node, type Written, write } from './xml-writer.ts'

export interface MessageFrame {
  id: string
  now: number
  issuer: string
  destination: string
  inResponseTo?: string | undefined
  /** Logout requests only: when the request expires. */
  notOnOrAfter?: number
}

export interface Status {
  code: string
  second?: string | undefined
  /** For human readers; adds nothing to the codes. */
  message?: string | undefined
}

export const statusElement = ({ code, second, message }: Status): Element =>
  element(
    'samlp:Status',
    {},
    element(
      'samlp:StatusCode',
      { Value: code },
      second === undefined ? undefined : element('samlp:StatusCode', { Value: second }),
    ),
    message === undefined ? undefined : element('samlp:StatusMessage', {}, message),
  )

/** The part common to all messages: SAML Core §3.2. */
export const message = (
  name: Element['name'],
  { id, now, issuer, destination, inResponseTo, notOnOrAfter }: MessageFrame,
  ...children: (Node | undefined)[]
): Element =>
  element(
    name,
    {
      Destination: destination,
      ID: id,
      InResponseTo: inResponseTo,
      IssueInstant: instant(now),
      NotOnOrAfter: notOnOrAfter === undefined ? undefined : instant(notOnOrAfter),
      Version: '2.0',
    },
    element('saml:Issuer', {}, issuer),
    ...children,
  )

export interface Protection {
  key: SigningKey
  signAssertion: boolean
  signResponse: boolean
  encryptFor: Recipient | undefined
}

/** Serialized once, for use inside a message. */
export const SUCCESS = { written: write(statusElement({ code: STATUS.success }), ['samlp']) }

const unsigned = (root: Element): Written => ({ written: write(root) })

/** Signs, then encrypts, so that only the service provider sees the signature. */
async function protect(assertion: Element, protection: Protection): Promise<Node> {
  const { key, signAssertion, signResponse, encryptFor } = protection
  // With both settings off the response would be unsigned.
  const signs = signAssertion || !signResponse
  const written = signs ? await writeSigned(assertion, key) : unsigned(assertion)
  return encryptFor === undefined ? written : encryptAssertion(written, encryptFor)
}

export async function writeResponse(
  frame: MessageFrame,
  assertion: Element,
  protection: Protection,
): Promise<string> {
  const body = await protect(assertion, protection)
  const root = message('samlp:Response', frame, SUCCESS, body)
  return (protection.signResponse ? await writeSigned(root, protection.key) : unsigned(root))
    .written
}

/** A response without an assertion, which reports the failure to the service provider. */
export async function writeErrorResponse(
  frame: MessageFrame,
  status: Status,
  { key, signResponse }: Pick<Protection, 'key' | 'signResponse'>,
): Promise<string> {
  const root = message('samlp:Response', frame, statusElement(status))
  return (signResponse ? await writeSigned(root, key) : unsigned(root)).written
}
