import { deflateRawSync } from 'node:zlib'
import type { Delivery } from '../../signon/index.ts'
import { type Binding, SIGNATURE_METHODS } from '../names.ts'
import type { NameId } from './assertion.ts'
import { type MessageFrame, message, type Status, statusElement } from './response.ts'
import { type SigningKey, signOctets, writeSigned } from './xml-signature.ts'
import { type Element, element, write } from './xml-writer.ts'

/** SAML Core §3.7.1. */
export const logoutRequest = (
  frame: MessageFrame,
  { nameId, sessionIndex }: { nameId: NameId; sessionIndex: string },
): Element =>
  message(
    'samlp:LogoutRequest',
    frame,
    element('saml:NameID', { Format: nameId.format }, nameId.value),
    element('samlp:SessionIndex', {}, sessionIndex),
  )

export const logoutResponse = (frame: MessageFrame, status: Status): Element =>
  message('samlp:LogoutResponse', frame, statusElement(status))

type Parameter = 'SAMLRequest' | 'SAMLResponse'

/** Logout messages are always signed (SAML Profiles §4.4.3.1 and §4.4.3.4 for front-channel bindings). */
export async function deliver(
  root: Element,
  options: {
    binding: Binding
    destination: string
    parameter: Parameter
    relayState: string | undefined
    key: SigningKey
  },
): Promise<Delivery> {
  const { binding, destination, parameter, relayState, key } = options
  if (binding === 'post') {
    const { written } = await writeSigned(root, key)
    const fields = {
      [parameter]: Buffer.from(written).toString('base64'),
      ...(relayState !== undefined && { RelayState: relayState }),
    }
    return { binding, action: destination, fields }
  }
  // SAML Bindings §3.4.4.1
  const pairs: [string, string][] = [
    [parameter, deflateRawSync(write(root)).toString('base64')],
    ...(relayState === undefined ? [] : ([['RelayState', relayState]] as [string, string][])),
    ['SigAlg', SIGNATURE_METHODS[key.method].signature],
  ]
  const octets = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  const signature = encodeURIComponent(await signOctets(octets, key))
  const joint = destination.includes('?') ? '&' : '?'
  return { binding, location: `${destination}${joint}${octets}&Signature=${signature}` }
}
