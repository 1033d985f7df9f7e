/** Where a request came from; part of every event it causes. */
export interface Client {
  ip: string
  userAgent: string | undefined
  requestId: string
  /** The cookie of `known-devices.ts`, as it was sent; only at sign-in. */
  device?: string | undefined
}

/** Who acts, as events name them. */
export interface Initiator {
  type: 'admin' | 'system' | 'service_account' | 'user'
  id?: string
  email?: string
  name?: string
  username?: string
}

/** Someone whose credential was accepted, before an organization is chosen. */
export interface Principal {
  initiator: Initiator
  /** The id of the administrator, service account or system. */
  id: string
  authMethod: 'session' | 'api-key' | 'oauth' | 'signature'
  /** What this credential may do: the scopes of its roles, narrowed where the key is narrowed. */
  scopes: ReadonlySet<string>
  roleNames: string[]
  providerId: string | null
  /** The organization or provider the principal belongs to. */
  homeId: string
  /** Every organization it may act on. */
  organizationIds: ReadonlySet<string>
  /** Of a provider: whether these are all that it has. Only then may it act for the provider itself. */
  wholeProvider?: boolean
  /** Set where a system signed the request itself (system context). */
  systemId?: string
  /** Hash of the session, for the routes about the session itself. */
  sessionHash?: Buffer
  /** Of a session: whether the password was given again a short while ago. */
  confirmed?: boolean
  mfa: boolean
  expiresAt: number | null
  /** Of an access token: the end of the secret that it was issued for. */
  secretExpiresAt?: number
}

/** A principal acting for one tenant: what actions receive. */
export interface Caller extends Principal {
  organizationId: string
  /** Where a route reads several tenants at once: all of them, the first being `organizationId`. */
  tenantIds: readonly string[]
  client: Client
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
