import type { SamlLimits } from '../../platform/limits.ts'
import { NAMESPACES } from '../names.ts'
import { Refusal } from '../refusal.ts'
import { decodeBase64, inflate } from './encoding.ts'

/** A message as the browser delivered it. */
export interface Inbound {
  binding: 'redirect' | 'post'
  parameter: 'SAMLRequest' | 'SAMLResponse'
  xml: Buffer
  relayState: string | undefined
  /** For reading its content. */
  max: SamlLimits
  /** Redirect binding only; with POST the signature is in the document. */
  signature?: { algorithm: string; value: Buffer; octets: string[] }
}

const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE'
const NAMES = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature', 'SAMLEncoding']

const repeated = (name: string) => new Refusal('unreadable', `${name} was sent more than once`)

function decoded(raw: string, name: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch (cause) {
    throw new Refusal('unreadable', `${name} is not valid percent-encoding`, { cause })
  }
}

/** The SAML parameters of the query, still encoded. */
function rawParameters(query: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const part of query.split('&')) {
    const at = part.indexOf('=')
    const name = at < 0 ? part : part.slice(0, at)
    if (!NAMES.includes(name)) continue
    if (found.has(name)) throw repeated(name)
    found.set(name, at < 0 ? '' : part.slice(at + 1))
  }
  return found
}

/** Opaque and often a whole address (SAML Bindings §3.4.3 says 80 bytes, and nobody keeps to it). */
function checkRelayState(relayState: string | undefined, max: SamlLimits): string | undefined {
  if (relayState !== undefined && relayState.length > max.relayState)
    throw new Refusal('unreadable', `RelayState is longer than ${max.relayState} characters`)
  return relayState
}

function oneMessage(request: unknown, response: unknown): Inbound['parameter'] {
  if (request !== undefined && response !== undefined)
    throw new Refusal('unreadable', 'Both a SAMLRequest and a SAMLResponse were sent')
  return response === undefined ? 'SAMLRequest' : 'SAMLResponse'
}

/**
 * SAML Bindings §3.4.4.1. The signature covers the encoded parameters as sent, in this order. Some service providers sign
 * one encoding and send another (a space as %20 or as a plus sign), so the canonical encoding is accepted as well.
 */
function signatureOf(
  raw: Map<string, string>,
  parameter: string,
  max: SamlLimits,
): Inbound['signature'] {
  const [algorithm, value] = [raw.get('SigAlg'), raw.get('Signature')]
  if (algorithm === undefined && value === undefined) return undefined
  if (algorithm === undefined || value === undefined)
    throw new Refusal('signature_wrong', 'SigAlg and Signature must be sent together')
  const signed = [parameter, 'RelayState', 'SigAlg'].flatMap((name): [string, string][] => {
    const encoded = raw.get(name)
    return encoded === undefined ? [] : [[name, encoded]]
  })
  const again = ([name, encoded]: [string, string]) =>
    `${name}=${encodeURIComponent(decoded(encoded, name))}`
  return {
    algorithm: decoded(algorithm, 'SigAlg'),
    value: decodeBase64(decoded(value, 'Signature'), 'Signature', max),
    octets: [
      signed.map(([name, encoded]) => `${name}=${encoded}`).join('&'),
      signed.map(again).join('&'),
    ],
  }
}

/** Reads the raw query string; undefined if it holds no message. */
export function readRedirect(query: string, max: SamlLimits): Inbound | undefined {
  const raw = rawParameters(query)
  const parameter = oneMessage(raw.get('SAMLRequest'), raw.get('SAMLResponse'))
  const message = raw.get(parameter)
  if (message === undefined) return undefined
  const encoding = raw.get('SAMLEncoding')
  if (encoding !== undefined && decoded(encoding, 'SAMLEncoding') !== DEFLATE)
    throw new Refusal('unreadable', 'SAMLEncoding must be DEFLATE')
  const relayState = raw.get('RelayState')
  const signature = signatureOf(raw, parameter, max)
  return {
    binding: 'redirect',
    parameter,
    xml: inflate(decodeBase64(decoded(message, parameter), parameter, max), max),
    relayState: checkRelayState(
      relayState === undefined ? undefined : decoded(relayState, 'RelayState'),
      max,
    ),
    max,
    ...(signature && { signature }),
  }
}

/** A byte order mark or whitespace may precede the first tag. */
const looksLikeXml = (bytes: Buffer): boolean =>
  /^(\u00ef\u00bb\u00bf)?\s*</.test(bytes.subarray(0, 64).toString('latin1'))

/** Reads the fields of a form; undefined if they hold no message. */
export function readPost(
  fields: Readonly<Record<string, unknown>>,
  max: SamlLimits,
): Inbound | undefined {
  for (const name of NAMES) {
    const value = fields[name]
    if (value !== undefined && typeof value !== 'string') throw repeated(name)
  }
  const { SAMLRequest, SAMLResponse, RelayState } = fields as Record<string, string | undefined>
  const parameter = oneMessage(SAMLRequest, SAMLResponse)
  const message = SAMLRequest ?? SAMLResponse
  if (message === undefined) return undefined
  const bytes = decodeBase64(message, parameter, max)
  return {
    binding: 'post',
    parameter,
    // Some service providers deflate in this binding too, against the specification.
    xml: looksLikeXml(bytes) ? bytes : inflate(bytes, max),
    relayState: checkRelayState(RelayState, max),
    max,
  }
}

/** Elements of other namespaces are allowed in Extensions only. */
export const KNOWN_NAMESPACES = [
  NAMESPACES.samlp,
  NAMESPACES.saml,
  NAMESPACES.ds,
  NAMESPACES.xenc,
  'http://www.w3.org/2001/10/xml-exc-c14n#',
]
