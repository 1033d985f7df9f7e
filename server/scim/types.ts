/** RFC 7643 §8.7, RFC 7644 §3.5.2 */
export const SCHEMAS = {
  User: 'urn:ietf:params:scim:schemas:core:2.0:User',
  Group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  EnterpriseUser: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  PatchOp: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
} as const

export type ResourceType = 'User' | 'Group'

/** Open: providers and mappings add attributes and extensions of their own. */
export interface ScimResource {
  schemas?: string[]
  externalId?: string
  [attribute: string]: unknown
}

export interface ScimUser extends ScimResource {
  userName: string
  active?: boolean
}

export interface ScimGroup extends ScimResource {
  displayName: string
}

/** A resource as the provider holds it. The attributes named here have these types; others are as sent. */
export interface Remote extends ScimResource {
  id: string
  userName?: string
  displayName?: string
  active?: boolean
}

export interface PatchOperation {
  op: 'add' | 'replace' | 'remove'
  path?: string
  value?: unknown
}

/** A request that was sent: for records, so it holds no query, body or secret. */
export interface ScimExchange {
  method: string
  /** Below the base URL. */
  path: string
  /** Null: no response arrived. */
  status: number | null
}
