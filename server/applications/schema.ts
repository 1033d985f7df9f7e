import { type Static, type TSchema, Type } from 'typebox'
import { GRANT_TYPES, TOKEN_ENDPOINT_AUTH_METHODS } from './settings.ts'

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema))
/** Clients send booleans as text as well. */
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

// Settings, as forms are drawn from them ---------------------------------------------------------------------------

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
    name: Type.String({ description: 'The attribute of the service provider' }),
    value: Type.String({ description: 'The property of the user' }),
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
      Type.String({ description: 'single, or mapping by the methods that were used' }),
    ),
    singleAuthnContextValue: claim(Type.String()),
    authnContextMappings: claim(
      Type.Array(
        Type.Object({
          methods: Type.Array(Type.String(), { description: 'pwd, otp: all of them were used' }),
          authnContext: Type.String(),
        }),
      ),
    ),
  },
  { title: 'AuthClaimConfiguration' },
)

/** Which of them there are is for the template to say. */
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
/** With `fields`, only some of the members are there. */
export const ApplicationList = Type.Object(
  { totalCount: Type.Integer(), results: Type.Array(Type.Partial(Application)) },
  { title: 'ApplicationList' },
)

/** People follow it, so it is one that leads to a page; empty: there is none. */
const WebAddress = Type.String({ maxLength: 1024, pattern: '^([Hh][Tt][Tt][Pp][Ss]?://\\S+)?$' })

/** Read leniently; what an application needs is checked by its template. */
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
          'Settings by name; each an object, of which `value` alone is enough. Settings that are not sent have the default of the template.',
      },
    ),
  ),
}
export const ApplicationWrite = Type.Object(writable, { title: 'ApplicationWrite' })
export type ApplicationWrite = Static<typeof ApplicationWrite>

/** v2 has another view of the same. */
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
    name: Type.String({ description: 'The name of applications made from it' }),
    displayName: Type.String(),
    displayLabel: Type.String(),
    description: Type.String(),
    active: Type.Boolean(),
    beta: Type.Boolean(),
    isConfigured: Type.Boolean({ description: 'The organization has an application made from it' }),
    color: Type.String(),
    learnMore: Type.String(),
    ssoUrl: Type.String({ description: 'The address an application of this name would have' }),
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
    oidc: Type.Optional(
      Type.Object(
        {
          grantTypes: Type.Array(Type.Enum(GRANT_TYPES)),
          redirectUris: Type.Array(Type.String()),
          ssoUrl: Type.String(),
          tokenEndpointAuthMethod: Type.Enum(TOKEN_ENDPOINT_AUTH_METHODS),
        },
        { title: 'OidcTemplate', description: 'Of the type oidc: the settings it begins with' },
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

export const ApplicationOidc = Type.Object(
  {
    type: Type.Enum(['oidc']),
    hidden: Type.Boolean(),
    oidc: Type.Object(
      {
        issuer: Type.String({
          description:
            'Below it: .well-known/openid-configuration, which tells all other addresses',
        }),
        clientId: Type.String(),
        clientSecret: Type.Optional(
          Type.String({ description: 'Only in the answer to the request that made it' }),
        ),
        redirectUris: Type.Array(Type.String()),
        grantTypes: GrantTypes,
        tokenEndpointAuthMethod: AuthMethod,
        accessTokenLifespan: Type.Integer({ description: 'In seconds' }),
        ssoUrl: Type.String(),
      },
      { title: 'OidcSettings' },
    ),
  },
  { title: 'ApplicationOidc' },
)
export type ApplicationOidc = Static<typeof ApplicationOidc>

/** Whoever reads the settings, changes some and sends all back may: the id of the client is ignored. */
export const OidcWrite = Type.Object(
  {
    redirectUris: Type.Array(Type.String({ maxLength: 2048 }), {
      minItems: 1,
      maxItems: 100,
      description: 'https, or http on a loopback host; compared character by character',
    }),
    grantTypes: optional(GrantTypes),
    tokenEndpointAuthMethod: optional(AuthMethod),
    accessTokenLifespan: optional(
      Type.Integer({ minimum: 60, maximum: 86_400, description: 'In seconds' }),
    ),
    ssoUrl: optional(
      Type.String({
        maxLength: 2048,
        description: 'Where the portal opens the application; empty: the origin it is sent back to',
      }),
    ),
    newClientSecret: optional(
      Type.Boolean({ description: 'PUT: make a new secret; the one before ends at once' }),
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
      nullable(Type.String({ format: 'date-time', description: 'Of the next one' })),
    ),
    fetchedBy: Type.Array(MetadataFetcher, {
      description: 'Who has read metadata with this certificate in it, the latest first',
    }),
  },
  { title: 'ApplicationCertificate' },
)
export type ApplicationCertificate = Static<typeof ApplicationCertificate>

const promoteAt = optional(
  Type.String({ format: 'date-time', description: 'When it takes over by itself' }),
)
export const CertificatePost = Type.Object(
  {
    certificate: optional(Type.String({ description: 'One of your own; otherwise one is made' })),
    privateKey: optional(Type.String()),
    promoteAt,
  },
  { title: 'ApplicationCertificatePost' },
)
export type CertificatePost = Static<typeof CertificatePost>
export const CertificatePromotion = Type.Object(
  { at: optional(Type.String({ format: 'date-time', description: 'Not given: now' })) },
  { title: 'ApplicationCertificatePromotion' },
)

// Metadata of service providers -------------------------------------------------------------------------------------

const from = {
  url: optional(Type.String({ description: 'Where the metadata is; it is fetched from there' })),
  xml: optional(Type.String({ description: 'Or the metadata itself' })),
  entityId: optional(
    Type.String({ description: 'Which service provider, where the document has several' }),
  ),
}
export const SpMetadataImport = Type.Object(from, { title: 'SpMetadataImport' })
export type SpMetadataImport = Static<typeof SpMetadataImport>
