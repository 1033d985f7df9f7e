import { limits } from '../../platform/limits.ts'
import { NAMESPACES } from '../names.ts'
import { Refusal } from '../refusal.ts'
import { decodeBase64, inflate } from './encoding.ts'

/** A message as it came with the person's browser. */
export interface Inbound {
  binding: 'redirect' | 'post'
  parameter: 'SAMLRequest' | 'SAMLResponse'
  xml: Buffer
  relayState: string | undefined
  /** Of the redirect binding; in the other one the signature stands in the document. */
  signature?: { algorithm: string; value: Buffer; octets: string[] }
}

const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE'
const NAMES = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature', 'SAMLEncoding']

const namedOnce = (name: string) =>
  new Refusal('unreadable', `${name} is there more than once, so it is not clear which one counts`)

function decoded(raw: string, name: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch (cause) {
    throw new Refusal('unreadable', `${name} is not encoded like a part of an address`, { cause })
  }
}

/** The parameters of ours as they stand in the address, still encoded. */
function rawParameters(query: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const part of query.split('&')) {
    const at = part.indexOf('=')
    const name = at < 0 ? part : part.slice(0, at)
    if (!NAMES.includes(name)) continue
    if (found.has(name)) throw namedOnce(name)
    found.set(name, at < 0 ? '' : part.slice(at + 1))
  }
  return found
}

/** Opaque and often a whole address (SAML Bindings §3.4.3 says 80 bytes, and nobody keeps to it). */
function checkRelayState(relayState: string | undefined): string | undefined {
  const most = limits.saml.relayState
  if (relayState !== undefined && relayState.length > most)
    throw new Refusal('unreadable', `RelayState is longer than ${most} characters`)
  return relayState
}

function oneMessage(request: unknown, response: unknown): Inbound['parameter'] {
  if (request !== undefined && response !== undefined)
    throw new Refusal('unreadable', 'There is both a SAMLRequest and a SAMLResponse')
  return response === undefined ? 'SAMLRequest' : 'SAMLResponse'
}

/**
 * SAML Bindings §3.4.4.1. What was signed are the encoded parts as they were sent, in this order. Some sign them in one
 * encoding and send them in another (a space as %20 and as a plus sign): the usual encoding of the same values counts, too.
 */
function signatureOf(raw: Map<string, string>, parameter: string): Inbound['signature'] {
  const [algorithm, value] = [raw.get('SigAlg'), raw.get('Signature')]
  if (algorithm === undefined && value === undefined) return undefined
  if (algorithm === undefined || value === undefined)
    throw new Refusal('signature_wrong', 'Of SigAlg and Signature only one is there')
  const signed = [parameter, 'RelayState', 'SigAlg'].flatMap((name): [string, string][] => {
    const encoded = raw.get(name)
    return encoded === undefined ? [] : [[name, encoded]]
  })
  const again = ([name, encoded]: [string, string]) =>
    `${name}=${encodeURIComponent(decoded(encoded, name))}`
  return {
    algorithm: decoded(algorithm, 'SigAlg'),
    value: decodeBase64(decoded(value, 'Signature'), 'Signature'),
    octets: [
      signed.map(([name, encoded]) => `${name}=${encoded}`).join('&'),
      signed.map(again).join('&'),
    ],
  }
}

/** From the part of the address after the question mark; undefined where it holds no message. */
export function readRedirect(query: string): Inbound | undefined {
  const raw = rawParameters(query)
  const parameter = oneMessage(raw.get('SAMLRequest'), raw.get('SAMLResponse'))
  const message = raw.get(parameter)
  if (message === undefined) return undefined
  const encoding = raw.get('SAMLEncoding')
  if (encoding !== undefined && decoded(encoding, 'SAMLEncoding') !== DEFLATE)
    throw new Refusal('unreadable', 'SAMLEncoding is another one than DEFLATE')
  const relayState = raw.get('RelayState')
  const signature = signatureOf(raw, parameter)
  return {
    binding: 'redirect',
    parameter,
    xml: inflate(decodeBase64(decoded(message, parameter), parameter)),
    relayState: checkRelayState(
      relayState === undefined ? undefined : decoded(relayState, 'RelayState'),
    ),
    ...(signature && { signature }),
  }
}

/** A byte order mark or white space may stand before the first tag. */
const looksLikeXml = (bytes: Buffer): boolean =>
  /^(\u00ef\u00bb\u00bf)?\s*</.test(bytes.subarray(0, 64).toString('latin1'))

/** From the fields of a form; undefined where they hold no message. */
export function readPost(fields: Readonly<Record<string, unknown>>): Inbound | undefined {
  for (const name of NAMES) {
    const value = fields[name]
    if (value !== undefined && typeof value !== 'string') throw namedOnce(name)
  }
  const { SAMLRequest, SAMLResponse, RelayState } = fields as Record<string, string | undefined>
  const parameter = oneMessage(SAMLRequest, SAMLResponse)
  const message = SAMLRequest ?? SAMLResponse
  if (message === undefined) return undefined
  const bytes = decodeBase64(message, parameter)
  return {
    binding: 'post',
    parameter,
    // Some deflate in this binding as well, though nothing says so.
    xml: looksLikeXml(bytes) ? bytes : inflate(bytes),
    relayState: checkRelayState(RelayState),
  }
}

/** Elements of these only; others stand in Extensions. */
export const KNOWN_NAMESPACES = [
  NAMESPACES.samlp,
  NAMESPACES.saml,
  NAMESPACES.ds,
  NAMESPACES.xenc,
  'http://www.w3.org/2001/10/xml-exc-c14n#',
]
