// The settings of applications, with what forms need to show them. A template overrides some of them and removes those
// that do not apply.

export type SettingType =
  | 'text'
  | 'bool'
  | 'select'
  | 'file'
  | 'constantAttributes'
  | 'databaseAttributes'
  | 'object'

interface Option {
  text: string
  value: string
}

export interface Setting {
  type: SettingType
  label: string
  position: number
  /** The default. */
  value: unknown
  required?: boolean
  readOnly?: boolean
  visible?: boolean
  options?: readonly Option[]
  /** Help for the administrator who fills it in. */
  help?: string
  /** Shown only while that setting is on. */
  dependsOnProperty?: string
}

const option = (value: string): Option => ({ text: value, value })

const NAME_ID = 'urn:oasis:names:tc:SAML'
export const UNSPECIFIED = `${NAME_ID}:1.1:nameid-format:unspecified`
export const NAME_ID_FORMATS = [
  `${NAME_ID}:1.0:nameid-format:unspecified`,
  UNSPECIFIED,
  `${NAME_ID}:2.0:nameid-format:unspecified`,
  `${NAME_ID}:1.1:nameid-format:emailAddress`,
  `${NAME_ID}:2.0:nameid-format:emailAddress`,
  `${NAME_ID}:2.0:nameid-format:persistent`,
  `${NAME_ID}:2.0:nameid-format:transient`,
  `${NAME_ID}:1.1:nameid-format:X509SubjectName`,
  `${NAME_ID}:1.1:nameid-format:WindowsDomainQualifiedName`,
] as const

const SUBJECTS = [
  'email',
  'username',
  'employeeIdentifier',
  'alternateEmail',
  'managedAppleId',
  'external_dn',
  'id',
]

/** Without RSA-SHA1: templates of service providers that support nothing else add it. */
const SIGNATURES = ['RSA-SHA256', 'RSA-SHA512']
export const SLO_BINDINGS = ['Automatic', 'HTTP-Redirect', 'HTTP-POST'] as const
export const ENCRYPTIONS = ['AES256-GCM', 'AES128-GCM', 'AES256-CBC', 'AES128-CBC'] as const

export const PASSWORD_PROTECTED_TRANSPORT =
  'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'
export const MULTI_FACTOR = 'https://refeds.org/profile/mfa'

/** The parts of authClaimConfiguration, by their API names. */
export const AUTH_CLAIMS = {
  sendAmrClaim: { type: 'bool', value: false },
  authnContextMode: { type: 'select', value: 'single' },
  singleAuthnContextValue: { type: 'text', value: PASSWORD_PROTECTED_TRANSPORT },
  authnContextMappings: {
    type: 'list',
    value: [
      { methods: ['pwd'], authnContext: PASSWORD_PROTECTED_TRANSPORT },
      { methods: ['pwd', 'otp'], authnContext: MULTI_FACTOR },
    ],
  },
} as const
export const AUTHN_CONTEXT_MODES = ['single', 'mapping'] as const

/** The settings of SAML applications, in form order. */
export const SAML_SETTINGS = {
  idpEntityId: {
    type: 'text',
    label: 'IdP Entity ID:',
    position: 0,
    value: '',
    help: 'How we identify ourselves to the service provider. Empty: the URL of the metadata.',
  },
  idpPrivateKey: {
    type: 'file',
    label: 'IdP Private Key:',
    position: 1,
    value: '',
    help: 'Only with your own certificate. It is never shown again.',
  },
  idpCertificate: {
    type: 'file',
    label: 'IdP Certificate:',
    position: 2,
    value: '',
    help: 'Generated unless you upload your own.',
  },
  spEntityId: {
    type: 'text',
    label: 'SP Entity ID:',
    position: 3,
    value: '',
    required: true,
    help: 'The entity ID of the service provider; also the audience of assertions.',
  },
  acsUrl: {
    type: 'text',
    label: 'ACS URL:',
    position: 4,
    value: 'https://{service-provider}/acs',
    required: true,
    help: 'Where responses are sent. For several URLs: a JSON array of objects with index, isDefault and url.',
  },
  spCertificate: {
    type: 'file',
    label: 'SP Certificate:',
    position: 5,
    value: '',
    help: 'If set, the service provider must sign its requests. One or more certificates in PEM: a signature by any of them is accepted.',
  },
  spEncryptionCertificate: {
    type: 'file',
    label: 'SP Encryption Certificate:',
    position: 6,
    value: '',
    help: 'If set, assertions are encrypted for the service provider.',
  },
  encryptionAlgorithm: {
    type: 'select',
    label: 'Encryption Algorithm:',
    position: 7,
    value: 'AES256-GCM',
    options: ENCRYPTIONS.map(option),
  },
  constantAttributes: {
    type: 'constantAttributes',
    label: 'Constant Attributes:',
    position: 8,
    value: [],
    help: 'Attributes with the same value for every user.',
  },
  databaseAttributes: {
    type: 'databaseAttributes',
    label: 'User Attributes:',
    position: 9,
    value: [],
    help: 'Attributes that the service provider expects, and the user property that each takes its value from.',
  },
  includeGroups: {
    type: 'bool',
    label: 'Include Group Attribute',
    position: 10,
    value: false,
    help: "Sends the user's groups that are bound to the application.",
  },
  groupsAttributeName: {
    type: 'text',
    label: 'Groups Attribute Name',
    position: 11,
    value: '',
    dependsOnProperty: 'includeGroups',
  },
  subjectField: {
    type: 'select',
    label: 'SAML Subject NameID:',
    position: 12,
    value: 'email',
    options: SUBJECTS.map(option),
  },
  signAssertion: { type: 'bool', label: 'Sign Assertion', position: 13, value: true },
  signResponse: { type: 'bool', label: 'Sign Response', position: 13, value: false },
  overrideNameIdFormat: {
    type: 'select',
    label: 'SAML Subject NameID Format:',
    position: 14,
    value: UNSPECIFIED,
    options: NAME_ID_FORMATS.map(option),
    help: 'A persistent NameID is an opaque name per user and application, a transient one a new name in each session; the others hold the SAML Subject NameID.',
  },
  signatureAlgorithm: {
    type: 'select',
    label: 'Signature Algorithm:',
    position: 15,
    value: 'RSA-SHA256',
    options: SIGNATURES.map(option),
  },
  declareRedirectEndpoint: {
    type: 'bool',
    label: 'Declare Redirect Endpoint',
    position: 16,
    value: false,
  },
  defaultTargetUrl: {
    type: 'text',
    label: 'Default RelayState:',
    position: 17,
    value: '',
    help: 'Sent when the sign-in starts in the portal.',
  },
  idpInitUrl: {
    type: 'text',
    label: 'Login URL:',
    position: 18,
    value: '',
    help: 'The portal opens this URL if the service provider must start the sign-in itself.',
  },
  sloUrl: {
    type: 'text',
    label: 'Single Logout URL:',
    position: 19,
    value: '',
    help: 'Where the service provider receives logout requests.',
  },
  sloResponseUrl: {
    type: 'text',
    label: 'Single Logout Response URL:',
    position: 20,
    value: '',
    help: 'Where the service provider receives responses to its own logout requests. Empty: the Single Logout URL.',
  },
  sloBinding: {
    type: 'select',
    label: 'Single Logout Binding:',
    position: 21,
    value: SLO_BINDINGS[0],
    options: SLO_BINDINGS.map(option),
    help: 'How the service provider receives logout messages. Automatic: requests by HTTP-Redirect, responses by the binding of the request.',
  },
  sloSoapUrl: {
    type: 'text',
    label: 'Single Logout SOAP URL:',
    position: 22,
    value: '',
    help: 'Where the service provider receives logout requests by SOAP. If set, it is told directly, without the browser.',
  },
  spErrorFlow: {
    type: 'bool',
    label: 'Send errors to the service provider',
    position: 23,
    value: false,
    help: 'On: errors are sent to the service provider. Off: the user sees an error page.',
  },
  authClaimConfiguration: {
    type: 'object',
    label: 'Authentication Claims',
    position: 24,
    value: {},
    help: 'What assertions say about how the user signed in.',
  },
} as const satisfies Record<string, Setting>

// The OpenID Connect settings are in oidc/settings.ts.

export const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const
export type GrantType = (typeof GRANT_TYPES)[number]
export const TOKEN_ENDPOINT_AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'none',
] as const
/** OpenID Connect Core §8. */
export const SUBJECT_TYPES = ['pairwise', 'public'] as const
export type SubjectType = (typeof SUBJECT_TYPES)[number]
export type TokenEndpointAuthMethod = (typeof TOKEN_ENDPOINT_AUTH_METHODS)[number]

export type SettingName = keyof typeof SAML_SETTINGS
