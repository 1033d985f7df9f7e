import { deflateRawSync } from 'node:zlib'
import type { Random } from '../insights/random.ts'
import { hostileText } from './values.ts'

// SAML and OpenID Connect parameters have no schema, so valid values are given here.

/** Escaped for XML; most forbidden characters are kept. */
const escaped = (text: string): string =>
  text.replace(/[&<"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** An AuthnRequest with one mutation. */
function samlRequest(random: Random): string {
  const odd = escaped(hostileText(random).slice(0, 2000))
  const right: Record<string, string> = {
    ID: '_r1',
    IssueInstant: new Date().toISOString(),
    Version: '2.0',
    AssertionConsumerServiceURL: 'https://127.0.0.1:9/acs',
    AssertionConsumerServiceIndex: '0',
    ForceAuthn: 'false',
    Comparison: 'exact',
    Format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
    Issuer: 'https://127.0.0.1:9',
    Class: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
  }
  right[random.pick(Object.keys(right))] = odd
  const { Comparison, Format, Issuer, Class, ...attributes } = right
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`)
  const xml = `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ${written.join(' ')}><saml:Issuer>${Issuer}</saml:Issuer><samlp:NameIDPolicy Format="${Format}"/><samlp:RequestedAuthnContext Comparison="${Comparison}"><saml:AuthnContextClassRef>${Class}</saml:AuthnContextClassRef></samlp:RequestedAuthnContext></samlp:AuthnRequest>`
  return deflateRawSync(xml).toString('base64')
}

const RIGHT: Record<string, (random: Random) => string> = {
  SAMLRequest: samlRequest,
  RelayState: () => 'back',
  response_type: () => 'code',
  client_id: hostileText,
  client_secret: hostileText,
  redirect_uri: () => 'https://127.0.0.1:9/back',
  scope: ({ pick }) => pick(['openid', 'openid email profile groups']),
  state: hostileText,
  nonce: () => 'n',
  prompt: ({ pick }) => pick(['none', 'login', 'consent']),
  max_age: ({ pick }) => pick(['0', '999999999999999']),
  code_challenge: () => 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: () => 'S256',
  grant_type: ({ pick }) => pick(['authorization_code', 'refresh_token', 'client_credentials']),
  code: () => 'c',
  code_verifier: () => 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  refresh_token: () => 'r',
  SAMLResponse: hostileText,
  SigAlg: hostileText,
  Signature: hostileText,
}

export const PROTOCOLS = /^\/(saml2|oidc|oauth2)\//

/** Parameters of a request in one of these protocols, for the query or a form. */
export const protocolPairs = (random: Random): [name: string, value: string][] =>
  Object.entries(RIGHT)
    .filter(([name]) => random.chance(/^(SAMLResponse|SigAlg|Signature)$/.test(name) ? 0.1 : 0.7))
    .map(([name, make]) => [name, random.chance(0.15) ? hostileText(random) : make(random)])

/** A multipart form with a file, roughly. */
export const multipart = (random: Random): { type: string; payload: string } => ({
  type: random.pick([
    'multipart/form-data; boundary=x',
    'multipart/form-data; boundary=x',
    'multipart/form-data; boundary=another',
    'multipart/form-data',
    `multipart/form-data; boundary=${'x'.repeat(3000)}`,
  ]),
  payload: `--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n${random.pick(['GIF89a', ''])}${hostileText(random)}\r\n--x${random.pick(['--', ''])}\r\n`,
})
