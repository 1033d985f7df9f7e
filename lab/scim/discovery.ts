import type { Profile } from './profiles.ts'
import { SCHEMAS, TYPES, URNS } from './schemas.ts'

// RFC 7643 §5 to §7.

export const MAX_PAGE = 200

export const providerConfig = (base: string, { noPatch, maxPage = MAX_PAGE, oauth }: Profile) => ({
  schemas: [URNS.config],
  patch: { supported: !noPatch },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: maxPage },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: oauth ? 'A token from /oauth/token' : 'The token of the lab',
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

export const resourceTypes = (base: string) =>
  Object.values(TYPES).map(({ name, endpoint, schema, attributes }) => ({
    schemas: [URNS.resourceType],
    id: name,
    name,
    endpoint: `/${endpoint}`,
    schema,
    schemaExtensions: attributes
      .filter((attribute) => attribute.name === URNS.enterprise)
      .map((attribute) => ({ schema: attribute.name, required: false })),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }))

export const schemaDocuments = (base: string) =>
  SCHEMAS.map((schema) => ({
    schemas: [URNS.schema],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }))
