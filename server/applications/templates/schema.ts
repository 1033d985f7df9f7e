import { type Static, Type } from 'typebox'
import { MappingRule } from '../../platform/mapping/schema.ts'
import { GRANT_TYPES, TOKEN_ENDPOINT_AUTH_METHODS } from '../settings.ts'

// The format of a template file.

const SettingOverride = Type.Object(
  {
    label: Type.Optional(Type.String({ minLength: 1 })),
    value: Type.Optional(Type.Unknown()),
    required: Type.Optional(Type.Boolean()),
    readOnly: Type.Optional(Type.Boolean()),
    visible: Type.Optional(Type.Boolean()),
    help: Type.Optional(Type.String({ minLength: 1 })),
    options: Type.Optional(
      Type.Array(
        Type.Object({ text: Type.String(), value: Type.String() }, { additionalProperties: false }),
        { minItems: 1 },
      ),
    ),
  },
  { additionalProperties: false },
)

/** The default OpenID Connect settings. */
export const OidcTemplate = Type.Object(
  {
    grantTypes: Type.Array(Type.Enum(GRANT_TYPES), { minItems: 1 }),
    redirectUris: Type.Array(Type.String()),
    ssoUrl: Type.String({ pattern: '^(https://\\S+)?$' }),
    tokenEndpointAuthMethod: Type.Enum(TOKEN_ENDPOINT_AUTH_METHODS),
  },
  { additionalProperties: false },
)
export type OidcTemplate = Static<typeof OidcTemplate>

const { target: _, ...rule } = MappingRule.properties

/** What is known about the SCIM endpoint of the product. */
const ProvisioningTemplate = Type.Object(
  {
    /** With {placeholders}. */
    baseUrl: Type.Optional(Type.String({ pattern: '^https://\\S+$' })),
    auth: Type.Optional(Type.Enum(['bearer', 'basic', 'header', 'oauth'])),
    groups: Type.Boolean(),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    /** Rules by their target, instead of those of the default mapping; null removes a target and all below it. */
    mapping: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.Object(rule, { additionalProperties: false }), Type.Null()]),
      ),
    ),
  },
  { additionalProperties: false },
)
export type ProvisioningTemplate = Static<typeof ProvisioningTemplate>

/** Settings that are not named come from settings.ts; null removes one. */
export const TemplateFile = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9-]*$', maxLength: 64 }),
    displayName: Type.String({ minLength: 1, maxLength: 128 }),
    description: Type.String({ maxLength: 256 }),
    keywords: Type.Array(Type.String({ minLength: 1 })),
    learnMore: Type.String({ pattern: '^(https://\\S+)?$' }),
    sso: Type.Object(
      { type: Type.Enum(['saml', 'oidc', 'bookmark']), jit: Type.Optional(Type.Boolean()) },
      { additionalProperties: false },
    ),
    /** Required for the type oidc, not allowed otherwise. */
    oidc: Type.Optional(OidcTemplate),
    /** Absent: the product offers no SCIM endpoint that we know of. */
    provisioning: Type.Optional(ProvisioningTemplate),
    config: Type.Record(Type.String(), Type.Union([SettingOverride, Type.Null()])),
  },
  { additionalProperties: false },
)
export type TemplateFile = Static<typeof TemplateFile>
