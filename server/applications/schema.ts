import { type Static, type TSchema, Type } from 'typebox'
import { GRANT_TYPES, SUBJECT_TYPES, TOKEN_ENDPOINT_AUTH_METHODS } from './settings.ts'

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema))
/** Some clients send booleans as strings. */
const Flag = Type.Union([Type.Boolean(), Type.Enum(['true', 'false'])])
const Anything = Type.Object({}, { additionalProperties: true })

const COLORS = [
  '#202D38',
  '#005466',
  '#3E8696',
  '#006CAC',
  '#0617AC',
  '#7C6ADA',
  '#D5779D',
  '#9E2F00',
  '#FFB000',
  '#58C469',
  '#57C49F',
  '#FF6C03',
] as const
const Color = Type.Enum(['', ...COLORS])

// Settings, with what forms need to show them ---------------------------------------------------------------------------

const Tooltip = Type.Object(
  {
    template: Type.String(),
    variables: Type.Object({ icon: Type.String(), message: Type.String() }),
  },
  { title: 'SettingTooltip' },
)
const common = {
  label: Type.String(),
  position: Type.Number(),
  readOnly: Type.Boolean(),
  required: Type.Boolean(),
  tooltip: Tooltip,
  type: Type.String(),
  visible: Type.Boolean(),
}
const BooleanSetting = Type.Object(
  { ...common, value: Type.Boolean() },
  { title: 'BooleanSetting' },
)
const stringMembers = {
  ...common,
  options: nullable(Type.Array(Type.Object({ text: Type.String(), value: Type.String() }))),
  toggle: Type.Null(),
  dependsOnProperty: Type.Optional(Type.String()),
}
const StringSetting = Type.Object(
  { ...stringMembers, value: Type.String() },
  { title: 'StringSetting' },
)
const ConstantAttribute = Type.Object(
  {
    name: Type.String(),
    value: Type.String(),
    readOnly: Type.Boolean(),
    required: Type.Boolean(),
    visible: Type.Boolean(),
  },
  { title: 'ConstantAttribute' },
)
const ConstantAttributesSetting = Type.Object(
  { ...stringMembers, mutable: Type.Boolean(), value: Type.Array(ConstantAttribute) },
  { title: 'ConstantAttributesSetting' },
)
const DatabaseAttribute = Type.Object(
  {
    name: Type.String({ description: 'The attribute name that the service provider expects' }),
    value: Type.String({ description: 'The user property' }),
  },
  { title: 'DatabaseAttribute' },
)
const DatabaseAttributesSetting = Type.Object(
  { ...stringMembers, mutable: Type.Boolean(), value: Type.Array(DatabaseAttribute) },
  { title: 'DatabaseAttributesSetting' },
)
const claim = <T extends TSchema>(value: T) =>
  Type.Object({ type: Type.String(), value, readOnly: Type.Boolean() })
const AuthClaimConfiguration = Type.Object(
  {
    ...common,
    sendAmrClaim: claim(Type.Boolean()),
    authnContextMode: claim(
      Type.String({ description: 'single, or mapping by the authentication methods used' }),
    ),
    singleAuthnContextValue: claim(Type.String()),
    authnContextMappings: claim(
      Type.Array(
        Type.Object({
          methods: Type.Array(Type.String(), { description: 'pwd, otp; all must have been used' }),
          authnContext: Type.String(),
        }),
      ),
    ),
  },
  { title: 'AuthClaimConfiguration' },
)

/** The template determines which settings exist. */
export const ApplicationConfig = Type.Object(
  {
    ...Object.fromEntries(
      [
        'idpEntityId',
        'idpPrivateKey',
        'idpCertificate',
        'spEntityId',
        'acsUrl',
        'spCertificate',
        'spEncryptionCertificate',
        'encryptionAlgorithm',
        'groupsAttributeName',
        'subjectField',
        'overrideNameIdFormat',
        'signatureAlgorithm',
        'defaultTargetUrl',
        'idpInitUrl',
        'sloUrl',
        'sloResponseUrl',
        'sloSoapUrl',
        'sloBinding',
      ].map((name) => [name, Type.Optional(StringSetting)]),
    ),
    ...Object.fromEntries(
      [
        'signAssertion',
        'signResponse',
        'spErrorFlow',
        'includeGroups',
        'declareRedirectEndpoint',
      ].map((name) => [name, Type.Optional(BooleanSetting)]),
    ),
    constantAttributes: Type.Optional(ConstantAttributesSetting),
    databaseAttributes: Type.Optional(DatabaseAttributesSetting),
    authClaimConfiguration: Type.Optional(AuthClaimConfiguration),
  },
  { title: 'ApplicationConfig' },
)
export type ApplicationConfig = Static<typeof ApplicationConfig>

// Applications ------------------------------------------------------------------------------------------------------

const ReferenceApplication = Type.Object({ id: Type.String(), orgId: Type.String() })

const Sso = Type.Object(
  {
    type: Type.String(),
    beta: Type.Boolean(),
    jit: Type.Boolean(),
    hidden: Type.Boolean(),
    idpCertExpirationAt: Type.Optional(Type.String({ format: 'date-time' })),
    idpCertificateUpdatedAt: Type.Optional(Type.String({ format: 'date-time' })),
    idpPrivateKeyUpdatedAt: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { title: 'ApplicationSso' },
)
const Logo = Type.Object({ color: Type.String(), url: Type.String() }, { title: 'ApplicationLogo' })

export const Application = Type.Object(
  {
    _id: Type.String(),
    id: Type.String(),
    active: Type.Boolean(),
    name: Type.String({ description: 'The template' }),
    displayName: Type.String(),
    displayLabel: Type.String(),
    beta: Type.Boolean(),
    color: Type.String(),
    organization: Type.String(),
    logo: Logo,
    ssoUrl: Type.String(),
    learnMore: Type.String(),
    description: Type.String(),
    config: ApplicationConfig,
    databaseAttributes: Type.Array(DatabaseAttribute),
    created: Type.String({ format: 'date-time' }),
    sso: Sso,
    parentApp: Type.String(),
    referenceApplications: Type.Array(ReferenceApplication),
    aiReady: Type.Boolean(),
  },
  { title: 'Application' },
)
export type Application = Static<typeof Application>
/** What to filter by to find applications that need attention. */
export const LIST_FILTERS =
  'Among the fields to filter by are `sso.idpCertExpirationAt`, and `provisioning.failing`: true if the SCIM connection is stopped, holds removals back or has failing accounts.'

/** With `fields`, only the selected members are present. */
export const ApplicationList = Type.Object(
  { totalCount: Type.Integer(), results: Type.Array(Type.Partial(Application)) },
  { title: 'ApplicationList' },
)

/** A link that users follow, so http or https only; empty: none. */
const WebAddress = Type.String({ maxLength: 1024, pattern: '^([Hh][Tt][Tt][Pp][Ss]?://\\S+)?$' })

/** Lenient; required members depend on the template and are checked there. */
const writable = {
  active: optional(Flag),
  beta: optional(Flag),
  aiReady: optional(Flag),
  color: optional(Color),
  description: optional(Type.String({ maxLength: 256 })),
  learnMore: optional(WebAddress),
  parentApp: optional(Type.String({ maxLength: 256 })),
  logo: optional(Type.Object({ color: optional(Color) }, { additionalProperties: true })),
  referenceApplications: optional(Type.Array(ReferenceApplication, { maxItems: 100 })),
  databaseAttributes: optional(Type.Array(Anything)),
  sso: optional(
    Type.Object({ hidden: optional(Flag), jit: optional(Flag) }, { additionalProperties: true }),
  ),
  name: optional(Type.String()),
  displayLabel: optional(Type.String({ maxLength: 255 })),
  displayName: optional(Type.String({ maxLength: 255 })),
  ssoUrl: optional(Type.String({ maxLength: 2048 })),
  config: optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Settings by name. Each is an object, of which only `value` is required. Missing settings take the default of the template.',
      },
    ),
  ),
}
export const ApplicationWrite = Type.Object(writable, { title: 'ApplicationWrite' })
export type ApplicationWrite = Static<typeof ApplicationWrite>

/** The v2 representation. */
export const ApplicationV2 = Type.Object(
  {
    _id: Type.String(),
    id: Type.String(),
    name: Type.String(),
    displayName: Type.String(),
    displayLabel: Type.String(),
    description: Type.String(),
    status: Type.Enum(['active', 'inactive']),
    organization: Type.String(),
    color: Type.String(),
    created: Type.String({ format: 'date-time' }),
    catalogItem: nullable(Type.Object({ id: Type.String(), name: Type.String() })),
    provision: Type.Null(),
    logo: Type.Object({ url: Type.String() }),
    sso: Type.Object({
      type: Type.String(),
      url: Type.String(),
      hidden: Type.Boolean(),
      active: Type.Boolean(),
      beta: Type.Boolean(),
      spErrorFlow: Type.Boolean(),
      bookmark: Type.Optional(Type.Object({ url: Type.String() })),
      jit: Type.Object({ supported: Type.Boolean(), enabled: Type.Boolean() }),
    }),
  },
  { title: 'ApplicationV2' },
)
export type ApplicationV2 = Static<typeof ApplicationV2>

// Templates ---------------------------------------------------------------------------------------------------------

export const ApplicationTemplate = Type.Object(
  {
    _id: Type.String(),
    id: Type.String(),
    name: Type.String({ description: 'The `name` of applications created from it' }),
    displayName: Type.String(),
    displayLabel: Type.String(),
    description: Type.String(),
    active: Type.Boolean(),
    beta: Type.Boolean(),
    isConfigured: Type.Boolean({
      description: 'The organization has an application of this template',
    }),
    color: Type.String(),
    learnMore: Type.String(),
    ssoUrl: Type.String({ description: 'The default URL of an application of this template' }),
    keywords: Type.Array(Type.String()),
    logo: Type.Object({ url: Type.String() }),
    jit: Type.Object({
      attributes: Type.Record(Type.String(), Type.String()),
      createOnly: Type.Boolean(),
    }),
    sso: Type.Object({
      type: Type.String(),
      beta: Type.Boolean(),
      jit: Type.Boolean(),
      hidden: Type.Boolean(),
    }),
    config: ApplicationConfig,
    provision: Type.Optional(
      Type.Object(
        { beta: Type.Boolean(), groups_supported: Type.Boolean(), type: Type.String() },
        { description: 'Present if accounts can be provisioned by SCIM' },
      ),
    ),
    oidc: Type.Optional(
      Type.Object(
        {
          grantTypes: Type.Array(Type.Enum(GRANT_TYPES)),
          redirectUris: Type.Array(Type.String()),
          ssoUrl: Type.String(),
          tokenEndpointAuthMethod: Type.Enum(TOKEN_ENDPOINT_AUTH_METHODS),
        },
        { title: 'OidcTemplate', description: 'Default settings, for the type oidc' },
      ),
    ),
  },
  { title: 'ApplicationTemplate' },
)
export type ApplicationTemplate = Static<typeof ApplicationTemplate>
export const ApplicationTemplateList = Type.Object(
  { totalCount: Type.Integer(), results: Type.Array(Type.Partial(ApplicationTemplate)) },
  { title: 'ApplicationTemplateList' },
)

// OpenID Connect ----------------------------------------------------------------------------------------------------

const AuthMethod = Type.Enum(TOKEN_ENDPOINT_AUTH_METHODS)
const GrantTypes = Type.Array(Type.Enum(GRANT_TYPES))
const SubjectType = Type.Enum(SUBJECT_TYPES)

export const ApplicationOidc = Type.Object(
  {
    type: Type.Enum(['oidc']),
    hidden: Type.Boolean(),
    oidc: Type.Object(
      {
        issuer: Type.String({
          description: 'Discovery is at .well-known/openid-configuration below it',
        }),
        clientId: Type.String(),
        clientSecret: Type.Optional(
          Type.String({ description: 'Only in the response to the request that generated it' }),
        ),
        redirectUris: Type.Array(Type.String()),
        grantTypes: GrantTypes,
        tokenEndpointAuthMethod: AuthMethod,
        accessTokenLifespan: Type.Integer({ description: 'In seconds' }),
        ssoUrl: Type.String(),
        postLogoutRedirectUris: Type.Array(Type.String()),
        frontchannelLogoutUri: Type.String(),
        backchannelLogoutUri: Type.String(),
        subjectType: SubjectType,
      },
      { title: 'OidcSettings' },
    ),
  },
  { title: 'ApplicationOidc' },
)
export type ApplicationOidc = Static<typeof ApplicationOidc>

/** Ignores the client id, so that clients can send back the settings they read. */
export const OidcWrite = Type.Object(
  {
    redirectUris: Type.Array(Type.String({ maxLength: 2048 }), {
      minItems: 1,
      maxItems: 100,
      description:
        'https, or http on a loopback host; compared character by character, except for the port of a loopback host (RFC 8252)',
    }),
    grantTypes: optional(GrantTypes),
    tokenEndpointAuthMethod: optional(AuthMethod),
    accessTokenLifespan: optional(
      Type.Integer({ minimum: 60, maximum: 86_400, description: 'In seconds' }),
    ),
    ssoUrl: optional(
      Type.String({
        maxLength: 2048,
        description:
          'Where the portal opens the application; empty: the origin of the first redirect URI',
      }),
    ),
    postLogoutRedirectUris: optional(
      Type.Array(Type.String({ maxLength: 2048 }), {
        maxItems: 100,
        description: 'Where the client may send the browser after a logout that it requested',
      }),
    ),
    frontchannelLogoutUri: optional(
      Type.String({
        maxLength: 2048,
        description: 'Opened in a frame with iss and sid when the user signs out',
      }),
    ),
    backchannelLogoutUri: optional(
      Type.String({
        maxLength: 2048,
        description: 'Gets a logout token whenever the session ends before it expires',
      }),
    ),
    subjectType: optional(
      Type.Enum(SUBJECT_TYPES, {
        description:
          'pairwise (the default): another sub for the same user in each application; public: the id of the user',
      }),
    ),
    newClientSecret: optional(
      Type.Boolean({ description: 'PUT: generate a new secret; the old one is revoked at once' }),
    ),
  },
  { title: 'OidcWrite' },
)
export type OidcWrite = Static<typeof OidcWrite>
export const ApplicationOidcWrite = Type.Object(
  { hidden: optional(Flag), oidc: OidcWrite },
  { title: 'ApplicationOidcWrite' },
)
export type ApplicationOidcWrite = Static<typeof ApplicationOidcWrite>

// Certificates ------------------------------------------------------------------------------------------------------

const MetadataFetcher = Type.Object(
  {
    address: Type.String(),
    userAgent: Type.String(),
    firstAt: Type.String({ format: 'date-time' }),
    lastAt: Type.String({ format: 'date-time' }),
  },
  { title: 'MetadataFetcher' },
)
export const ApplicationCertificate = Type.Object(
  {
    id: Type.String(),
    role: Type.Enum(['current', 'next', 'previous']),
    certificate: Type.String({ description: 'PEM' }),
    fingerprint: Type.String({ description: 'SHA-256, in hex' }),
    notBefore: Type.String({ format: 'date-time' }),
    notAfter: Type.String({ format: 'date-time' }),
    created: Type.String({ format: 'date-time' }),
    promoteAt: Type.Optional(
      nullable(Type.String({ format: 'date-time', description: 'Next certificate only' })),
    ),
    fetchedBy: Type.Array(MetadataFetcher, {
      description: 'Clients that fetched metadata with this certificate, most recent first',
    }),
  },
  { title: 'ApplicationCertificate' },
)
export type ApplicationCertificate = Static<typeof ApplicationCertificate>

const promoteAt = optional(
  Type.String({ format: 'date-time', description: 'When it is promoted automatically' }),
)
export const CertificatePost = Type.Object(
  {
    certificate: optional(
      Type.String({ description: 'Your own certificate; if absent, one is generated' }),
    ),
    privateKey: optional(Type.String()),
    promoteAt,
  },
  { title: 'ApplicationCertificatePost' },
)
export type CertificatePost = Static<typeof CertificatePost>
export const CertificatePromotion = Type.Object(
  { at: optional(Type.String({ format: 'date-time', description: 'If absent, now' })) },
  { title: 'ApplicationCertificatePromotion' },
)

// Metadata of service providers -------------------------------------------------------------------------------------

const from = {
  url: optional(Type.String({ description: 'The URL to fetch the metadata from' })),
  xml: optional(Type.String({ description: 'The metadata itself' })),
  entityId: optional(
    Type.String({ description: 'The service provider to import, if the document has several' }),
  ),
}
export const SpMetadataImport = Type.Object(
  {
    ...from,
    follow: optional(
      Type.Boolean({
        description:
          'Read the URL again every six hours and apply what has changed; https, or http on a loopback host',
      }),
    ),
  },
  { title: 'SpMetadataImport' },
)
export type SpMetadataImport = Static<typeof SpMetadataImport>

const textOrNull = nullable(Type.String())
const timeOrNull = nullable(Type.String({ format: 'date-time' }))
export const SpMetadataState = Type.Object(
  {
    entityId: textOrNull,
    importedAt: timeOrNull,
    followedUrl: textOrNull,
    checkedAt: timeOrNull,
    error: nullable(
      Type.String({ description: 'Why the followed URL could not be read again; null: it could' }),
    ),
  },
  { title: 'SpMetadataState' },
)
export type SpMetadataState = Static<typeof SpMetadataState>
