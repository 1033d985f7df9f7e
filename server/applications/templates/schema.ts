import { type Static, Type } from 'typebox'
import { GRANT_TYPES, TOKEN_ENDPOINT_AUTH_METHODS } from '../settings.ts'

// What a file of the catalogue holds.

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

/** What the settings of OpenID Connect are unless an application has its own. */
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

/** Settings that are not named are as settings.ts has them; null takes one away. */
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
    /** With the type oidc, and only then. */
    oidc: Type.Optional(OidcTemplate),
    config: Type.Record(Type.String(), Type.Union([SettingOverride, Type.Null()])),
  },
  { additionalProperties: false },
)
export type TemplateFile = Static<typeof TemplateFile>
