// Identifiers from the SAML 2.0, XML Signature and XML Encryption specifications.

/** We always write a namespace with the same prefix. */
export const NAMESPACES = {
  saml: 'urn:oasis:names:tc:SAML:2.0:assertion',
  samlp: 'urn:oasis:names:tc:SAML:2.0:protocol',
  soap: 'http://schemas.xmlsoap.org/soap/envelope/',
  md: 'urn:oasis:names:tc:SAML:2.0:metadata',
  alg: 'urn:oasis:names:tc:SAML:metadata:algsupport',
  ds: 'http://www.w3.org/2000/09/xmldsig#',
  xenc: 'http://www.w3.org/2001/04/xmlenc#',
} as const
export type Prefix = keyof typeof NAMESPACES

export const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#'
export const ENVELOPED_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'

export const BINDING = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
} as const
export type Binding = keyof typeof BINDING

const NAME_ID = 'urn:oasis:names:tc:SAML'
export const NAME_ID_FORMAT = {
  unspecified: `${NAME_ID}:1.1:nameid-format:unspecified`,
  /** Not in the standard, but used by the custom template and several service providers. */
  unspecified10: `${NAME_ID}:1.0:nameid-format:unspecified`,
  unspecified20: `${NAME_ID}:2.0:nameid-format:unspecified`,
  email: `${NAME_ID}:1.1:nameid-format:emailAddress`,
  persistent: `${NAME_ID}:2.0:nameid-format:persistent`,
  transient: `${NAME_ID}:2.0:nameid-format:transient`,
} as const

const CLASSES = 'urn:oasis:names:tc:SAML:2.0:ac:classes'
export const AUTHN_CONTEXT = {
  unspecified: `${CLASSES}:unspecified`,
  password: `${CLASSES}:Password`,
  protectedPassword: `${CLASSES}:PasswordProtectedTransport`,
  timeSyncToken: `${CLASSES}:TimeSyncToken`,
  refedsMfa: 'https://refeds.org/profile/mfa',
  microsoftMfa: 'http://schemas.microsoft.com/claims/multipleauthn',
} as const

/** SAML Core §3.2.2.2 */
const status = (name: string) => `urn:oasis:names:tc:SAML:2.0:status:${name}`
export const STATUS = {
  success: status('Success'),
  requester: status('Requester'),
  responder: status('Responder'),
  versionMismatch: status('VersionMismatch'),
  authnFailed: status('AuthnFailed'),
  invalidNameIdPolicy: status('InvalidNameIDPolicy'),
  noAuthnContext: status('NoAuthnContext'),
  noPassive: status('NoPassive'),
  partialLogout: status('PartialLogout'),
  requestDenied: status('RequestDenied'),
  unknownPrincipal: status('UnknownPrincipal'),
  unsupportedBinding: status('UnsupportedBinding'),
} as const

/** Signature methods (RFC 6931) with their names in node:crypto. SHA-1 is for templates that require it. */
export const SIGNATURE_METHODS = {
  'RSA-SHA1': {
    hash: 'sha1',
    signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
    digest: 'http://www.w3.org/2000/09/xmldsig#sha1',
  },
  'RSA-SHA256': {
    hash: 'sha256',
    signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    digest: 'http://www.w3.org/2001/04/xmlenc#sha256',
  },
  'RSA-SHA384': {
    hash: 'sha384',
    signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
    digest: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  },
  'RSA-SHA512': {
    hash: 'sha512',
    signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
  },
} as const
export type SignatureMethod = keyof typeof SIGNATURE_METHODS

/** Accepted from service providers: RSA with SHA-2 only, so that a message cannot choose a weaker algorithm. */
export const ACCEPTED_METHODS = [
  SIGNATURE_METHODS['RSA-SHA256'],
  SIGNATURE_METHODS['RSA-SHA384'],
  SIGNATURE_METHODS['RSA-SHA512'],
]
