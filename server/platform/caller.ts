/** Where a request came from; part of every event it causes. */
export interface Client {
  ip: string
  userAgent: string | undefined
  requestId: string
  /** The cookie of `known-devices.ts`, as it was sent; only at sign-in. */
  device?: string | undefined
}

/** The acting principal, as events name it. */
export interface Initiator {
  type: 'admin' | 'system' | 'service_account' | 'user'
  id?: string
  email?: string
  name?: string
  username?: string
  /** Where the change comes from, such as gatehouse:scim, and its name. */
  source?: string
  source_metadata?: { name: string }
}

/** An authenticated principal, before an organization is chosen. */
export interface Principal {
  initiator: Initiator
  /** The id of the administrator, service account or system. */
  id: string
  authMethod: 'session' | 'api-key' | 'oauth' | 'signature'
  /** The scopes of its roles, narrowed to those of the key. */
  scopes: ReadonlySet<string>
  roleNames: string[]
  providerId: string | null
  /** The organization or provider the principal belongs to. */
  homeId: string
  /** Every organization it may act on. */
  organizationIds: ReadonlySet<string>
  /** Providers only: reaches all of the provider's organizations, so it may act for the provider itself. */
  wholeProvider?: boolean
  /** Set when a system signed the request (system context). */
  systemId?: string
  /** Hash of the session, for the routes about the session itself. */
  sessionHash?: Buffer
  /** Sessions only: whether the password was confirmed recently. */
  confirmed?: boolean
  mfa: boolean
  expiresAt: number | null
  /** Access tokens only: when the secret it was issued for expires. */
  secretExpiresAt?: number
}

/** A principal acting for one tenant: what actions receive. */
export interface Caller extends Principal {
  organizationId: string
  /** For routes that read several tenants: all of them, `organizationId` first. */
  tenantIds: readonly string[]
  client: Client
}

/** Who started work that outlives the request, and what they were allowed then; stored with the work. */
export interface KeptRights {
  type: 'admin' | 'service_account'
  id: string
  homeId: string
  scopes: string[]
}

/** The service itself, acting without a request (jobs, first start, CLI). */
export const systemCaller = (organizationId: string, name: string): Caller => ({
  initiator: { type: 'system', name },
  id: '',
  authMethod: 'api-key',
  scopes: new Set(),
  roleNames: [],
  providerId: null,
  homeId: organizationId,
  organizationIds: new Set([organizationId]),
  mfa: false,
  expiresAt: null,
  organizationId,
  tenantIds: [organizationId],
  client: { ip: '127.0.0.1', userAgent: undefined, requestId: '' },
})
