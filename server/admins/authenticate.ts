import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { findAnyOrganization, findOrganization } from '../organizations/index.ts'
import type { KeptRights, Principal } from '../platform/caller.ts'
import type { Db, Queryable } from '../platform/db/index.ts'
import { forbidden, unauthenticated } from '../platform/errors.ts'
import type { Authenticate } from '../platform/http/authorize.ts'
import { sha256 } from '../platform/secrets.ts'
import { ifThereIsRoom } from '../platform/storage.ts'
import { hashKey, looksValid } from './api-key.ts'
import type { AdminContext } from './context.ts'
import { type CredentialRow, findAccessToken, findCredential, noteUse } from './credential-store.ts'
import { builtInRole, type Role } from './roles.ts'
import { findSession, touchSession } from './session-store.ts'
import {
  type AdministratorRow,
  findAdministratorById,
  organizationIdsOfAdministrator,
  organizationIdsOfProvider,
  reachesProvider,
} from './store.ts'
import { findRoles, findServiceAccount } from './tenant-store.ts'

export const SESSION_COOKIE = 'gatehouse_session'

export const sessionCookieOf = (cookie: string | undefined): string | undefined =>
  cookie === undefined ? undefined : parseCookie(cookie)[SESSION_COOKIE]
/** The space keeps it distinct from any API key: the two share a cache. */
const BEARER = 'bearer '
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The roles with these ids, built-in and the tenant's own. `db` acts for that tenant. */
export async function resolveRoles(db: Queryable, homeId: string, ids: string[]): Promise<Role[]> {
  const own = ids.filter((id) => !builtInRole(id))
  const found = own.length === 0 ? [] : await findRoles(db, homeId, own)
  return ids.flatMap((id) => builtInRole(id) ?? found.find((role) => role.id === id) ?? [])
}

const scopesOf = (roles: Role[], narrowed: string[] | null): Set<string> => {
  const scopes = new Set(roles.flatMap((role) => role.scopes))
  return narrowed === null ? scopes : new Set(narrowed.filter((scope) => scopes.has(scope)))
}

async function administratorPrincipal(
  db: Db,
  row: AdministratorRow,
  credential: Pick<Principal, 'authMethod' | 'mfa' | 'expiresAt'> & { scopes: string[] | null },
): Promise<Principal | null> {
  if (row.organization !== null && !(await findOrganization(db, row.organization))) return null
  const homeId = (row.provider ?? row.organization)!
  const roles = await resolveRoles(db.tenant(homeId), homeId, row.role_ids)
  const organizationIds =
    row.organization !== null
      ? [row.organization]
      : (await organizationIdsOfAdministrator(db, row.id)).map((link) => link.organization)
  return {
    initiator: { type: 'admin', id: row.id, email: row.email },
    id: row.id,
    authMethod: credential.authMethod,
    scopes: scopesOf(roles, credential.scopes),
    roleNames: roles.map((role) => role.name),
    providerId: row.provider,
    homeId,
    organizationIds: new Set(organizationIds),
    ...(row.provider !== null && {
      wholeProvider: await reachesProvider(db, row.provider, organizationIds),
    }),
    mfa: credential.mfa,
    expiresAt: credential.expiresAt,
  }
}

async function serviceAccountPrincipal(
  db: Db,
  tenant: string,
  id: string,
  authMethod: 'api-key' | 'oauth',
  expiresAt: string | null,
): Promise<Principal | null> {
  const account = await findServiceAccount(db.tenant(tenant), tenant, id)
  if (account?.status !== 'ACTIVE') return null
  const roles = await resolveRoles(db.tenant(tenant), tenant, [account.role_id])
  const organization = await findAnyOrganization(db, tenant)
  if (organization && organization.deleted_at !== null) return null
  const organizationIds = organization
    ? [tenant]
    : (await organizationIdsOfProvider(db, tenant)).map((row) => row.id)
  return {
    initiator: { type: 'service_account', id, name: account.name },
    id,
    authMethod,
    scopes: scopesOf(roles, null),
    roleNames: roles.map((role) => role.name),
    providerId: organization ? null : tenant,
    homeId: tenant,
    organizationIds: new Set(organizationIds),
    ...(!organization && { wholeProvider: true }),
    mfa: false,
    expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
  }
}

async function principalOfKey(db: Db, key: string): Promise<Principal | null> {
  const credential = await findCredential(db, hashKey(key))
  if (credential?.kind !== 'api-key') return null
  const principal = await principalOfCredential(db, credential)
  if (principal) await ifThereIsRoom(noteUse(db, credential))
  return principal
}

async function principalOfCredential(db: Db, credential: CredentialRow): Promise<Principal | null> {
  if (credential.service_account_id !== null) {
    return serviceAccountPrincipal(
      db,
      credential.tenant!,
      credential.service_account_id,
      'api-key',
      credential.expires_at,
    )
  }
  const row = await findAdministratorById(db, credential.administrator_id!)
  if (!row || row.suspended || !row.api_key_allowed) return null
  const expiresAt = credential.expires_at === null ? null : Date.parse(credential.expires_at)
  return administratorPrincipal(db, row, {
    authMethod: 'api-key',
    scopes: credential.scopes,
    mfa: false,
    expiresAt,
  })
}

/** The principal as it is now, without a credential; null after it was suspended or deleted. */
export async function presentPrincipal(
  db: Db,
  { type, id, homeId }: Pick<KeptRights, 'type' | 'id' | 'homeId'>,
): Promise<Principal | null> {
  if (type === 'service_account') return serviceAccountPrincipal(db, homeId, id, 'api-key', null)
  const row = await findAdministratorById(db, id)
  if (!row || row.suspended) return null
  const credential = { authMethod: 'api-key', scopes: null, mfa: false, expiresAt: null } as const
  return administratorPrincipal(db, row, credential)
}

async function principalOfToken(db: Db, token: string): Promise<Principal | null> {
  const found = await findAccessToken(db, sha256(token))
  if (!found) return null
  const { tenant, service_account_id, expires_at } = found
  const principal = await serviceAccountPrincipal(
    db,
    tenant,
    service_account_id,
    'oauth',
    expires_at,
  )
  return principal && { ...principal, secretExpiresAt: Date.parse(found.secret_expires_at) }
}

function presentedKey(request: FastifyRequest): string | undefined {
  const value = request.headers['x-api-key']
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/**
 * API key, bearer token or console session, in this order. With `touch: false` it does not keep a session alive: for
 * long requests that check again while they run.
 */
export function createAuthenticate(
  { db, cache, limits }: Pick<AdminContext, 'db' | 'cache' | 'limits'>,
  { touch = true } = {},
): Authenticate {
  async function bySession(request: FastifyRequest, token: string): Promise<Principal> {
    const { idleMinutes, confirmedMinutes } = limits.console
    const session = await findSession(db, sha256(token), idleMinutes, confirmedMinutes)
    const row = session && (await findAdministratorById(db, session.administrator_id))
    if (!session || !row || row.suspended)
      throw unauthenticated('session_ended', 'Unauthorized: the session has ended; sign in again')
    // Browsers attach cookies by themselves, so a change must also carry the CSRF token that only our pages know.
    if (!SAFE_METHODS.has(request.method)) {
      const sent = request.headers['x-csrf-token']
      if (typeof sent !== 'string' || !sha256(sent).equals(session.csrf_hash)) {
        throw forbidden('csrf_token', 'Forbidden: x-csrf-token is missing or wrong')
      }
    }
    if (session.mfa_owed !== null && !request.routeOptions.config.beforeSecondFactor) {
      throw unauthenticated(
        'second_factor_owed',
        'Unauthorized: the second factor is still required',
      )
    }
    if (touch && Date.now() - Date.parse(session.seen_at) > 60_000)
      await ifThereIsRoom(touchSession(db, session.hash))
    const principal = await administratorPrincipal(db, row, {
      authMethod: 'session',
      scopes: null,
      mfa: session.mfa,
      expiresAt: Date.parse(session.expires_at),
    })
    if (!principal)
      throw unauthenticated('session_ended', 'Unauthorized: the session has ended; sign in again')
    return { ...principal, sessionHash: session.hash, confirmed: session.confirmed }
  }

  async function byKey(key: string): Promise<Principal> {
    const principal = looksValid(key) ? await cache.load(key, () => principalOfKey(db, key)) : null
    if (!principal)
      throw unauthenticated('credential_invalid', 'Unauthorized: the API key is not valid')
    return principal
  }

  async function byToken(authorization: string): Promise<Principal> {
    const find = () => principalOfToken(db, authorization.slice(BEARER.length).trim())
    const principal = await cache.load(authorization, find)
    if (!principal)
      throw unauthenticated('token_invalid', 'Unauthorized: the access token is not valid')
    return principal
  }

  return (request) => {
    const key = presentedKey(request)
    if (key !== undefined) return cache.known(key) ?? byKey(key)
    const { authorization, cookie } = request.headers
    if (authorization?.slice(0, BEARER.length).toLowerCase() === BEARER) {
      return cache.known(authorization) ?? byToken(authorization)
    }
    const session = sessionCookieOf(cookie)
    return session ? bySession(request, session) : null
  }
}
