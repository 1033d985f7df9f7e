import { type Static, Type } from 'typebox'

/** Differences of a provider that change what is sent to it. Absent: not known yet, so the standard is tried first. */
export const ScimQuirks = Type.Object(
  {
    config: Type.Optional(
      Type.Enum(['read', 'absent'], {
        description: 'Whether the provider has a ServiceProviderConfig; it is read once',
      }),
    ),
    update: Type.Optional(
      Type.Enum(['path', 'value', 'put'], {
        description:
          'How attributes change: PATCH with a path for each, PATCH with one value for all, or PUT of the whole resource',
      }),
    ),
    members: Type.Optional(
      Type.Enum(['patch', 'put'], {
        description: 'How members of a group change: by PATCH, or by PUT of the whole group',
      }),
    ),
    removal: Type.Optional(
      Type.Enum(['filter', 'single', 'values'], {
        description:
          'How PATCH names members to remove: by filters in paths, by one such path in each request, or by value',
      }),
    ),
    unfilterable: Type.Optional(
      Type.Array(Type.Enum(['externalId', 'userName', 'displayName']), {
        description: 'Attributes by which the provider does not filter',
      }),
    ),
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Resources that the provider lists at once' }),
    ),
    etag: Type.Optional(Type.Boolean({ description: 'Whether PUT names the version it replaces' })),
    json: Type.Optional(
      Type.Boolean({ description: 'Takes application/json, not application/scim+json' }),
    ),
  },
  { title: 'ScimQuirks', additionalProperties: false },
)
export type ScimQuirks = Static<typeof ScimQuirks>

const Url = Type.String({ minLength: 1, maxLength: 2000, pattern: '^https?://' })
const Text = Type.String({ minLength: 1, maxLength: 1000 })
const strict = { additionalProperties: false } as const

const Secret = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 10_000,
    description:
      'Write-only. May be left out when neither the kind of authentication nor the host changes.',
  }),
)

/** The secret is the last member of each kind; responses leave it out. */
export const ConnectionAuth = Type.Union(
  [
    Type.Object({ type: Type.Literal('bearer'), token: Secret }, strict),
    Type.Object({ type: Type.Literal('basic'), username: Text, password: Secret }, strict),
    Type.Object(
      {
        type: Type.Literal('header'),
        name: Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' }),
        value: Secret,
      },
      strict,
    ),
    Type.Object(
      {
        type: Type.Literal('oauth'),
        tokenUrl: Url,
        clientId: Text,
        scope: Type.Optional(Type.String({ maxLength: 1000 })),
        clientSecret: Secret,
      },
      strict,
    ),
  ],
  { title: 'ConnectionAuth' },
)
export type ConnectionAuth = Static<typeof ConnectionAuth>
