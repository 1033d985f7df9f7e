import {
  AUTH_CLAIMS,
  type AUTHN_CONTEXT_MODES,
  type ENCRYPTIONS,
  type SettingName,
} from './settings.ts'

// The typed settings of an application for single sign-on.

export interface AcsUrl {
  index: number
  isDefault: boolean
  url: string
}

export interface NamedValue {
  name: string
  value: string
}

export interface AuthClaims {
  sendAmrClaim: boolean
  authnContextMode: (typeof AUTHN_CONTEXT_MODES)[number]
  singleAuthnContextValue: string
  /** Longest list first: the first mapping whose methods were all used applies. */
  authnContextMappings: { methods: string[]; authnContext: string }[]
}

export interface SsoConfig {
  idpEntityId: string
  /** Empty: not configured yet, so nobody can sign in. */
  spEntityId: string
  /** Empty while the template's placeholder has not been replaced. */
  acsUrls: AcsUrl[]
  defaultAcs: AcsUrl | undefined
  sloUrl: string
  /** Where logout responses go; defaults to sloUrl. */
  sloResponseUrl: string
  /** Where logout requests go by SOAP; empty: they go through the browser. */
  sloSoapUrl: string
  /** Undefined: responses use the binding of the request. */
  sloBinding: 'redirect' | 'post' | undefined
  nameIdFormat: string
  /** The user property that becomes the NameID. */
  subjectField: string
  signAssertion: boolean
  signResponse: boolean
  signatureAlgorithm: 'RSA-SHA256' | 'RSA-SHA512' | 'RSA-SHA1'
  digest: 'sha256' | 'sha512' | 'sha1'
  /** PEM. If there are any, requests must be signed with the key of one. */
  spCertificates: string[]
  /** Whether persistent and transient NameIDs hold the subject, as they did before they were opaque. */
  keepsNameId: boolean
  /** PEM. If set, assertions are encrypted. */
  spEncryptionCertificate: string | undefined
  encryptionAlgorithm: (typeof ENCRYPTIONS)[number]
  defaultRelayState: string
  /** Where the portal sends users if the service provider must start the sign-in itself. */
  idpInitUrl: string
  declareRedirect: boolean
  spErrorFlow: boolean
  constantAttributes: NamedValue[]
  /** `value` names the user property. */
  databaseAttributes: NamedValue[]
  includeGroups: boolean
  /** Undefined: groups are not sent. */
  groupsAttribute: string | undefined
  authClaims: AuthClaims
}

/** Values of all settings: the application's own over the template's defaults. */
export type Values = Readonly<Record<string, unknown>>

/** A part in braces is for the administrator to replace. */
export const hasPlaceholder = (value: string): boolean => /\{[^{}"]*\}/.test(value)

/** A URL, or a JSON array of several. Null: neither. */
export function readAcsUrls(value: string): AcsUrl[] | null {
  if (!value.trimStart().startsWith('[')) return [{ index: 0, isDefault: true, url: value.trim() }]
  let list: unknown
  try {
    list = JSON.parse(value)
  } catch {
    return null
  }
  if (!Array.isArray(list) || list.length === 0) return null
  const read = list.map((entry: unknown, at) => {
    const { index = at, isDefault = false, url } = Object(entry) as Record<string, unknown>
    const number = typeof index === 'string' ? Number(index) : (index ?? at)
    return { index: number, isDefault: isDefault === true || isDefault === 'true', url }
  })
  const good = read.every(
    ({ index, url }) =>
      typeof url === 'string' && typeof index === 'number' && Number.isInteger(index) && index >= 0,
  )
  return good ? (read as AcsUrl[]) : null
}

const DIGESTS = { 'RSA-SHA256': 'sha256', 'RSA-SHA512': 'sha512', 'RSA-SHA1': 'sha1' } as const

function readAuthClaims(stored: object): AuthClaims {
  const claims = Object.fromEntries(
    Object.entries(AUTH_CLAIMS).map(([name, { value }]) => [
      name,
      (stored as Record<string, unknown>)[name] ?? value,
    ]),
  ) as unknown as AuthClaims
  const mappings = claims.authnContextMappings.toSorted(
    (a, b) => b.methods.length - a.methods.length,
  )
  return { ...claims, authnContextMappings: mappings }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g

/**
 * Not a setting: migration 0038 marks applications that were connected when persistent and transient NameIDs still held
 * the subject. Their service providers know users by these names.
 */
export const KEEPS_NAME_ID = 'keepsNameId'

const BINDINGS: Record<string, SsoConfig['sloBinding']> = {
  'HTTP-Redirect': 'redirect',
  'HTTP-POST': 'post',
}

/** Trusts stored values, which were validated when written. */
export function readSsoConfig(values: Values): SsoConfig {
  const text = (name: SettingName) => String(values[name] ?? '')
  const flag = (name: SettingName) => values[name] === true
  const pairs = (name: SettingName) => (values[name] ?? []) as NamedValue[]
  const acs = text('acsUrl')
  const acsUrls = acs === '' || hasPlaceholder(acs) ? [] : (readAcsUrls(acs) ?? [])
  const sloUrl = hasPlaceholder(text('sloUrl')) ? '' : text('sloUrl')
  const signatureAlgorithm = text('signatureAlgorithm') as SsoConfig['signatureAlgorithm']
  return {
    idpEntityId: text('idpEntityId'),
    spEntityId: hasPlaceholder(text('spEntityId')) ? '' : text('spEntityId'),
    acsUrls,
    defaultAcs: acsUrls.find(({ isDefault }) => isDefault) ?? acsUrls[0],
    sloUrl,
    sloResponseUrl: text('sloResponseUrl') || sloUrl,
    sloSoapUrl: text('sloSoapUrl'),
    sloBinding: BINDINGS[text('sloBinding')],
    nameIdFormat: text('overrideNameIdFormat'),
    subjectField: text('subjectField'),
    signAssertion: flag('signAssertion'),
    signResponse: flag('signResponse'),
    signatureAlgorithm,
    digest: DIGESTS[signatureAlgorithm],
    spCertificates: text('spCertificate').match(CERTIFICATE) ?? [],
    keepsNameId: values[KEEPS_NAME_ID] === true,
    spEncryptionCertificate: text('spEncryptionCertificate') || undefined,
    encryptionAlgorithm: text('encryptionAlgorithm') as SsoConfig['encryptionAlgorithm'],
    defaultRelayState: text('defaultTargetUrl'),
    idpInitUrl: hasPlaceholder(text('idpInitUrl')) ? '' : text('idpInitUrl'),
    declareRedirect: flag('declareRedirectEndpoint'),
    spErrorFlow: flag('spErrorFlow'),
    constantAttributes: pairs('constantAttributes'),
    databaseAttributes: pairs('databaseAttributes'),
    includeGroups: flag('includeGroups'),
    groupsAttribute: flag('includeGroups') ? text('groupsAttributeName') || 'memberOf' : undefined,
    authClaims: readAuthClaims(Object(values.authClaimConfiguration)),
  }
}
