// The settings an application can have, and what a form needs to know to ask for them. A template says which of them it
// has otherwise, and leaves out what does not concern it.

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
  /** What a person should know who fills it in. */
  help?: string
  /** Shown only while that setting is on. */
  dependsOnProperty?: string
}

const option = (value: string): Option => ({ text: value, value })

const NAME_ID = 'urn:oasis:names:tc:SAML'
export const NAME_ID_FORMATS = [
  `${NAME_ID}:1.0:nameid-format:unspecified`,
  `${NAME_ID}:1.1:nameid-format:unspecified`,
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

/** RSA-SHA1 is not among them: a template whose service provider knows nothing else adds it. */
const SIGNATURES = ['RSA-SHA256', 'RSA-SHA512']
export const SLO_BINDINGS = ['Automatic', 'HTTP-Redirect', 'HTTP-POST'] as const
export const ENCRYPTIONS = ['AES256-GCM', 'AES128-GCM', 'AES256-CBC', 'AES128-CBC'] as const

export const PASSWORD_PROTECTED_TRANSPORT =
  'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'
export const MULTI_FACTOR = 'https://refeds.org/profile/mfa'

/** What authClaimConfiguration holds, by the names of the API. */
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

/** Of every application that people sign in to with SAML, in the order of the form. */
export const SAML_SETTINGS = {
  idpEntityId: {
    type: 'text',
    label: 'IdP Entity ID:',
    position: 0,
    value: '',
    help: 'Who we are to the service provider. Empty: the address of the metadata.',
  },
  idpPrivateKey: {
    type: 'file',
    label: 'IdP Private Key:',
    position: 1,
    value: '',
    help: 'Only with a certificate of your own. It is never shown again.',
  },
  idpCertificate: {
    type: 'file',
    label: 'IdP Certificate:',
    position: 2,
    value: '',
    help: 'Made for you unless you bring your own.',
  },
  spEntityId: {
    type: 'text',
    label: 'SP Entity ID:',
    position: 3,
    value: '',
    required: true,
    help: 'As the service provider calls itself; also the audience of assertions.',
  },
  acsUrl: {
    type: 'text',
    label: 'ACS URL:',
    position: 4,
    value: 'https://{service-provider}/acs',
    required: true,
    help: 'Where responses are sent. Several: a JSON list of objects with index, isDefault and url.',
  },
  spCertificate: {
    type: 'file',
    label: 'SP Certificate:',
    position: 5,
    value: '',
    help: 'With it, requests must be signed by the service provider.',
  },
  spEncryptionCertificate: {
    type: 'file',
    label: 'SP Encryption Certificate:',
    position: 6,
    value: '',
    help: 'With it, assertions are encrypted for the service provider.',
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
    help: 'Attributes with the same value for everybody.',
  },
  databaseAttributes: {
    type: 'databaseAttributes',
    label: 'User Attributes:',
    position: 9,
    value: [],
    help: 'Attributes of the service provider, and the property of the user that each takes its value from.',
  },
  includeGroups: {
    type: 'bool',
    label: 'Include Group Attribute',
    position: 10,
    value: false,
    help: 'Tells the groups of the user that are bound to the application.',
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
    value: NAME_ID_FORMATS[0],
    options: NAME_ID_FORMATS.map(option),
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
    help: 'Sent along when the sign-in begins in the portal.',
  },
  idpInitUrl: {
    type: 'text',
    label: 'Login URL:',
    position: 18,
    value: '',
    help: 'Opened by the portal, where the service provider must begin the sign-in itself.',
  },
  sloUrl: {
    type: 'text',
    label: 'Single Logout URL:',
    position: 19,
    value: '',
    help: 'Where the service provider hears that somebody has signed out.',
  },
  sloResponseUrl: {
    type: 'text',
    label: 'Single Logout Response URL:',
    position: 20,
    value: '',
    help: 'Where the service provider wants the answer to a logout of its own. Empty: the Single Logout URL.',
  },
  sloBinding: {
    type: 'select',
    label: 'Single Logout Binding:',
    position: 21,
    value: SLO_BINDINGS[0],
    options: SLO_BINDINGS.map(option),
    help: 'How the service provider reads logout messages. Automatic: requests by Redirect, answers as it has asked.',
  },
  spErrorFlow: {
    type: 'bool',
    label: 'Send errors to the service provider',
    position: 22,
    value: false,
    help: 'On: a refusal goes to the service provider. Off: the person sees a page.',
  },
  authClaimConfiguration: {
    type: 'object',
    label: 'Authentication Claims',
    position: 23,
    value: {},
    help: 'What an assertion says about how somebody has signed in.',
  },
} as const satisfies Record<string, Setting>

// OpenID Connect has settings of its own (oidc-settings.ts).

export const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const
export type GrantType = (typeof GRANT_TYPES)[number]
export const TOKEN_ENDPOINT_AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'none',
] as const
export type TokenEndpointAuthMethod = (typeof TOKEN_ENDPOINT_AUTH_METHODS)[number]

export type SettingName = keyof typeof SAML_SETTINGS
