import { type Static, Type } from 'typebox'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })
const nullable = Type.Union([Type.String(), Type.Null()])
const Email = Type.String({ format: 'email', maxLength: 1024 })
const Name = Type.Union([Type.String({ maxLength: 256 }), Type.Null()])
const date = Type.String({ format: 'date-time' })
const nullableDate = Type.Union([date, Type.Null()])

const ApiKeyHash = Type.Object({
  createdAt: date,
  expireAt: Type.Optional(nullableDate),
  lastUsedAt: Type.Optional(
    Type.Union([date, Type.Null()], { description: 'Give or take a few minutes' }),
  ),
  prefix: Type.String(),
  scopes: Type.Optional(Type.Array(Type.String())),
})

/** v1 `users` record. Members may be absent if `fields` does not select them. */
export const Administrator = Type.Object(
  {
    _id: Id,
    id: Id,
    apiKeyAllowed: Type.Optional(Type.Boolean()),
    apiKeyHash: Type.Optional(ApiKeyHash),
    apiKeySet: Type.Optional(Type.Boolean()),
    apiKeyUpdatedAt: Type.Optional(nullableDate),
    created: Type.Optional(date),
    disableIntroduction: Type.Optional(Type.Boolean()),
    email: Type.Optional(Type.String()),
    enableMultiFactor: Type.Optional(Type.Boolean()),
    firstname: Type.Optional(Type.String()),
    growthData: Type.Optional(Type.Object({}, { additionalProperties: true })),
    lastWhatsNewChecked: Type.Optional(nullableDate),
    lastname: Type.Optional(Type.String()),
    organization: Type.Optional(nullable),
    passwordUpdatedAt: Type.Optional(nullableDate),
    provider: Type.Optional(nullable),
    registered: Type.Optional(Type.Boolean()),
    role: Type.Optional(Type.String()),
    roleName: Type.Optional(Type.String()),
    roleNames: Type.Optional(Type.Array(Type.String())),
    roles: Type.Optional(Type.Array(Type.String())),
    sessionCount: Type.Optional(Type.Integer()),
    suspended: Type.Optional(Type.Boolean()),
    totpEnrolled: Type.Optional(Type.Boolean()),
    totpUpdatedAt: Type.Optional(nullableDate),
    usersTimeZone: Type.Optional(nullable),
  },
  { title: 'Administrator' },
)
export type Administrator = Static<typeof Administrator>

export const AdministratorList = Type.Object(
  { totalCount: Type.Integer(), results: Type.Array(Administrator) },
  { title: 'AdministratorList' },
)

const roleChoice = {
  role: Type.Optional(nullable),
  roleName: Type.Optional(nullable),
  roleNames: Type.Optional(Type.Union([Type.Array(Type.String(), { minItems: 1 }), Type.Null()])),
}
export const AdministratorCreate = Type.Object(
  {
    email: Email,
    firstname: Type.Optional(Name),
    lastname: Type.Optional(Name),
    ...roleChoice,
    enableMultiFactor: Type.Optional(Type.Boolean()),
    apiKeyAllowed: Type.Optional(Type.Boolean()),
  },
  { title: 'AdministratorCreate', additionalProperties: true },
)
export type AdministratorCreate = Static<typeof AdministratorCreate>

export const AdministratorPut = Type.Object(
  {
    email: Type.Optional(Email),
    firstname: Type.Optional(Name),
    lastname: Type.Optional(Name),
    ...roleChoice,
    enableMultiFactor: Type.Optional(Type.Boolean()),
    apiKeyAllowed: Type.Optional(Type.Boolean()),
    growthData: Type.Optional(Type.Object({}, { additionalProperties: true })),
    lastWhatsNewChecked: Type.Optional(
      Type.Union([Type.String({ format: 'date' }), date, Type.Null()]),
    ),
    suspended: Type.Optional(Type.Boolean()),
    usersTimeZone: Type.Optional(nullable),
  },
  { title: 'AdministratorPut', additionalProperties: true },
)
export type AdministratorPut = Static<typeof AdministratorPut>

/** v2 record, under a provider. */
export const ProviderAdministrator = Type.Object(
  {
    _id: Type.Optional(Id),
    id: Id,
    email: Type.Optional(Type.String()),
    firstname: Type.Optional(Type.String()),
    lastname: Type.Optional(Type.String()),
    registered: Type.Optional(Type.Boolean()),
    suspended: Type.Optional(Type.Boolean()),
    enableMultiFactor: Type.Optional(Type.Boolean()),
    apiKeyAllowed: Type.Optional(Type.Boolean()),
    apiKeySet: Type.Optional(Type.Boolean()),
    apiKeyHash: Type.Optional(ApiKeyHash),
    role: Type.Optional(Type.String()),
    roleName: Type.Optional(Type.String()),
    roles: Type.Optional(Type.Array(Type.String())),
    roleNames: Type.Optional(Type.Array(Type.String())),
    organizationAccessTotal: Type.Optional(Type.Integer()),
  },
  { title: 'ProviderAdministrator' },
)
export type ProviderAdministrator = Static<typeof ProviderAdministrator>

export const ProviderAdministratorCreate = Type.Object(
  { ...AdministratorCreate.properties, bindNoOrgs: Type.Optional(Type.Boolean()) },
  { title: 'ProviderAdministratorCreate', additionalProperties: true },
)
export type ProviderAdministratorCreate = Static<typeof ProviderAdministratorCreate>

export const OrganizationLink = Type.Object(
  { id: Id, administrator: Id, organization: Id },
  { title: 'AdministratorOrganizationLink' },
)
export type OrganizationLink = Static<typeof OrganizationLink>
export const OrganizationLinkCreate = Type.Object(
  { organization: Id },
  { title: 'AdministratorOrganizationLinkCreate', additionalProperties: true },
)

export const ApiKeyRequest = Type.Object(
  {
    scopes: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'Narrows the key; if absent, the key has all scopes of its owner',
      }),
    ),
    expireAt: Type.Optional(nullableDate),
  },
  { title: 'ApiKeyRequest', additionalProperties: true },
)
export type ApiKeyRequest = Static<typeof ApiKeyRequest>
export const ApiKey = Type.Object(
  { apiKey: Type.String({ description: 'Shown once' }), ...ApiKeyHash.properties },
  { title: 'ApiKey' },
)

export const Role = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    scopes: Type.Array(Type.String()),
  },
  { title: 'Role' },
)
export const RoleList = Type.Object(
  { results: Type.Array(Role), totalCount: Type.Integer() },
  { title: 'RoleList' },
)
export const RoleWrite = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    scopes: Type.Array(Type.String(), { minItems: 1 }),
    description: Type.Optional(Type.Union([Type.String({ maxLength: 1024 }), Type.Null()])),
  },
  { title: 'RoleWrite', additionalProperties: true },
)
export type RoleWrite = Static<typeof RoleWrite>

export const ScopeGroups = Type.Object(
  {
    results: Type.Array(Type.Object({ name: Type.String(), scopes: Type.Array(Type.String()) })),
    totalCount: Type.Integer(),
  },
  { title: 'ScopeGroups' },
)

/** The secret appears only in the response that creates it. */
export const AuthConfig = Type.Object(
  {
    objectId: Id,
    authType: Type.Enum(['API_KEY', 'CLIENT_SECRET']),
    createdAt: date,
    expiresAt: date,
    apiKeyConfig: Type.Optional(
      Type.Object({ prefix: Type.String(), apiKey: Type.Optional(Type.String()) }),
    ),
    clientSecretConfig: Type.Optional(
      Type.Object({
        clientId: Type.String(),
        prefix: Type.String(),
        clientSecret: Type.Optional(Type.String()),
      }),
    ),
  },
  { title: 'AuthConfig' },
)
export type AuthConfig = Static<typeof AuthConfig>

const Lifetime = Type.Object(
  { lifetime: Type.Optional(Type.Enum(['30 Days', '60 Days', '90 Days', '365 Days'])) },
  { additionalProperties: true },
)
export const AuthConfigCreate = Type.Object(
  {
    authType: Type.Enum(['API_KEY', 'CLIENT_SECRET']),
    apiKeyConfig: Type.Optional(Lifetime),
    clientSecretConfig: Type.Optional(Lifetime),
  },
  { title: 'AuthConfigCreate', additionalProperties: true },
)
export type AuthConfigCreate = Static<typeof AuthConfigCreate>

export const ServiceAccount = Type.Object(
  {
    objectId: Id,
    name: Type.String(),
    roleId: Type.String(),
    roleName: Type.String(),
    status: Type.Enum(['ACTIVE', 'INACTIVE']),
    createdAt: date,
    expiresAt: nullableDate,
    authConfigList: Type.Array(AuthConfig),
  },
  { title: 'ServiceAccount' },
)
export type ServiceAccount = Static<typeof ServiceAccount>
export const ServiceAccountList = Type.Object(
  { results: Type.Array(ServiceAccount), totalCount: Type.Integer() },
  { title: 'ServiceAccountList' },
)
export const ServiceAccountCreate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    roleId: Type.String({ minLength: 1 }),
    authConfig: AuthConfigCreate,
  },
  { title: 'ServiceAccountCreate', additionalProperties: true },
)
export type ServiceAccountCreate = Static<typeof ServiceAccountCreate>
export const WrappedServiceAccount = Type.Object(
  { serviceAccount: ServiceAccount },
  { title: 'WrappedServiceAccount' },
)
export const WrappedAuthConfig = Type.Object(
  { authConfig: AuthConfig },
  { title: 'WrappedAuthConfig' },
)
export const Empty = Type.Object({}, { title: 'Empty', description: 'An empty object' })
