import { type Static, Type } from 'typebox'
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
    config: Type.Record(Type.String(), Type.Union([SettingOverride, Type.Null()])),
  },
  { additionalProperties: false },
)
export type TemplateFile = Static<typeof TemplateFile>
