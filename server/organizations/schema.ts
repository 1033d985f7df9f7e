import { type Static, Type } from 'typebox'
import { MAX_COUNT, WritableSettings } from './settings.ts'

export { AUTHORITIES, RESTRICTED_FIELDS } from './settings.ts'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })
const nullable = Type.Union([Type.String(), Type.Null()])

/** The list entry. */
export const OrganizationSummary = Type.Object(
  {
    _id: Id,
    id: Id,
    displayName: Type.Optional(nullable),
    logoUrl: Type.Optional(nullable),
    created: Type.Optional(Type.String()),
  },
  { title: 'OrganizationSummary' },
)
export type OrganizationSummary = Static<typeof OrganizationSummary>

export const OrganizationList = Type.Object(
  { totalCount: Type.Integer(), results: Type.Array(OrganizationSummary) },
  { title: 'OrganizationList' },
)

export const Organization = Type.Object(
  {
    _id: Id,
    id: Id,
    displayName: Type.Optional(nullable),
    logoUrl: Type.Optional(nullable),
    created: Type.Optional(Type.String()),
    provider: Type.Optional(nullable),
    hasCreditCard: Type.Optional(Type.Boolean()),
    hasStripeCustomerId: Type.Optional(Type.Boolean()),
    totalBillingEstimate: Type.Optional(Type.Integer()),
    settings: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'Organization' },
)
export type Organization = Static<typeof Organization>

export const OrganizationPut = Type.Object(
  { settings: Type.Optional(WritableSettings) },
  { title: 'OrganizationPut', additionalProperties: true },
)
export type OrganizationPut = Static<typeof OrganizationPut>

export const Settings = Type.Object(
  {
    ORG_ID: Id,
    ORG_NAME: Type.String(),
    EMAIL: Type.Optional(Type.String()),
    SETTINGS: Type.Object({}, { additionalProperties: true }),
  },
  { title: 'Settings', additionalProperties: true },
)

export const Provider = Type.Object(
  {
    id: Id,
    name: Type.Optional(Type.String()),
    disallowOrgCreation: Type.Optional(Type.Boolean()),
    contact: Type.Optional(Type.Unknown()),
  },
  { title: 'Provider' },
)
export type Provider = Static<typeof Provider>

export const ProviderPut = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    disallowOrgCreation: Type.Optional(Type.Boolean()),
    contact: Type.Optional(
      Type.Union([
        Type.Object({ name: Type.Optional(Type.String()), email: Type.Optional(Type.String()) }),
        Type.Null(),
      ]),
    ),
  },
  { title: 'ProviderPut', additionalProperties: true },
)
export type ProviderPut = Static<typeof ProviderPut>

/** The v2 record. */
export const ProviderOrganization = Type.Object(
  {
    id: Id,
    name: Type.Optional(Type.String()),
    maxSystemUsers: Type.Optional(Type.Integer()),
    created: Type.Optional(Type.String()),
  },
  { title: 'ProviderOrganization' },
)
export type ProviderOrganization = Static<typeof ProviderOrganization>

export const OrganizationCreate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    maxSystemUsers: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_COUNT })),
  },
  { title: 'OrganizationCreate', additionalProperties: true },
)
export type OrganizationCreate = Static<typeof OrganizationCreate>

export const ProviderParams = Type.Object({ provider_id: Type.String() })
export const ProviderOrganizationParams = Type.Object({
  provider_id: Type.String(),
  id: Type.String(),
})
export const IdParams = Type.Object({ id: Type.String() })
