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
      Type.Enum(['filter', 'values'], {
        description: 'How PATCH names members to remove: by a filter in the path, or by value',
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
