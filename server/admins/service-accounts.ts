import { recordEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import { isUniqueViolation, type Tx } from '../platform/db/index.ts'
import { conflict, invalid, notFound, unauthenticated } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type Paging, readCountedPage } from '../platform/list/page.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import { hashKey, keyPrefix, newApiKey } from './api-key.ts'
import { checkEnds } from './bounds.ts'
import { type AdminContext, change } from './context.ts'
import {
  deleteServiceAccountCredentials,
  findCredential,
  insertAccessToken,
  insertServiceAccountCredential,
} from './credential-store.ts'
import { getRole } from './role-actions.ts'
import { builtInRole, checkMayGrant } from './roles.ts'
import type {
  AuthConfig,
  AuthConfigCreate,
  ServiceAccount,
  ServiceAccountCreate,
} from './schema.ts'
import {
  type AuthConfigRow,
  deleteAuthConfig,
  deleteServiceAccount,
  findRoles,
  findServiceAccount,
  insertAuthConfig,
  insertServiceAccount,
  listAuthConfigs,
  listServiceAccounts,
  type ServiceAccountRow,
} from './tenant-store.ts'

const DAY = 86_400_000
export const TOKEN_SECONDS = 3600

const accountNotFound = () => notFound('service_account_not_found', 'service account not found')
const resourceOf = (id: string, name: string) => ({ type: 'service_account', id, name })

function toAuthConfig(row: AuthConfigRow, secret?: string): AuthConfig {
  const common = {
    objectId: row.id,
    authType: row.auth_type,
    createdAt: row.created,
    expiresAt: row.expires_at,
  }
  return row.auth_type === 'API_KEY'
    ? { ...common, apiKeyConfig: { prefix: row.prefix, ...(secret && { apiKey: secret }) } }
    : {
        ...common,
        clientSecretConfig: {
          clientId: row.service_account_id,
          prefix: row.prefix,
          ...(secret && { clientSecret: secret }),
        },
      }
}

function toServiceAccount(
  row: ServiceAccountRow,
  roleName: string,
  configs: AuthConfig[],
): ServiceAccount {
  const expiries = configs.map((config) => config.expiresAt).sort()
  return {
    objectId: row.id,
    name: row.name,
    roleId: row.role_id,
    roleName,
    status: row.status,
    createdAt: row.created,
    expiresAt: expiries.at(-1) ?? null,
    authConfigList: configs,
  }
}

async function describe(
  { db }: AdminContext,
  caller: Caller,
  rows: ServiceAccountRow[],
): Promise<ServiceAccount[]> {
  const tenant = db.tenant(caller.organizationId)
  const [configs, own] = await Promise.all([
    listAuthConfigs(
      tenant,
      caller.organizationId,
      rows.map((row) => row.id),
    ),
    findRoles(
      tenant,
      caller.organizationId,
      rows.map((row) => row.role_id),
    ),
  ])
  return rows.map((row) => {
    const role = builtInRole(row.role_id) ?? own.find((candidate) => candidate.id === row.role_id)
    return toServiceAccount(
      row,
      role?.name ?? '',
      configs.filter((c) => c.service_account_id === row.id).map((c) => toAuthConfig(c)),
    )
  })
}

export async function pageOfServiceAccounts(context: AdminContext, caller: Caller, paging: Paging) {
  const { organizationId } = caller
  const tenant = context.db.tenant(organizationId)
  const { totalCount, results } = await readCountedPage(
    (limit, skip) => listServiceAccounts(tenant, organizationId, limit, skip),
    paging,
  )
  return { results: await describe(context, caller, results), totalCount }
}

export async function getServiceAccount(
  context: AdminContext,
  caller: Caller,
  id: string,
): Promise<ServiceAccount> {
  const row = await findServiceAccount(
    context.db.tenant(caller.organizationId),
    caller.organizationId,
    id,
  )
  if (!row) throw accountNotFound()
  return (await describe(context, caller, [row]))[0]!
}

function lifetimeOf(config: AuthConfigCreate): number {
  const { lifetime } =
    (config.authType === 'API_KEY' ? config.apiKeyConfig : config.clientSecretConfig) ?? {}
  return Number.parseInt(lifetime ?? '365', 10) * DAY
}

async function addAuthConfig(
  tx: Tx,
  caller: Caller,
  serviceAccountId: string,
  config: AuthConfigCreate,
): Promise<AuthConfig> {
  const { organizationId } = caller
  const secret = config.authType === 'API_KEY' ? newApiKey() : randomToken()
  const expiresAt = new Date(Date.now() + lifetimeOf(config)).toISOString()
  checkEnds(caller, expiresAt, 'lifetime: a key or secret of this lifetime')
  const row = await insertAuthConfig(tx, organizationId, {
    id: newId(),
    service_account_id: serviceAccountId,
    auth_type: config.authType,
    prefix: keyPrefix(secret),
    expires_at: expiresAt,
  })
  await insertServiceAccountCredential(tx, organizationId, {
    hash: hashKey(secret),
    kind: config.authType === 'API_KEY' ? 'api-key' : 'client-secret',
    serviceAccountId,
    authConfigId: row!.id,
    prefix: keyPrefix(secret),
    expiresAt,
  })
  return toAuthConfig(row!, secret)
}

export async function createServiceAccount(
  context: AdminContext,
  caller: Caller,
  body: ServiceAccountCreate,
): Promise<ServiceAccount> {
  const role = await getRole(context, caller, body.roleId).catch(() => {
    throw invalid('unknown_role', `roleId: unknown role "${body.roleId}"`)
  })
  checkMayGrant(caller.scopes, role.scopes)
  const row = { id: newId(), name: body.name, role_id: role.id }
  try {
    return await context.db.tx(caller.organizationId, async (tx) => {
      await insertServiceAccount(tx, caller.organizationId, row)
      const config = await addAuthConfig(tx, caller, row.id, body.authConfig)
      await recordEvent(tx, caller, {
        event_type: 'service_account_create',
        resource: resourceOf(row.id, row.name),
        changes: [
          { field: 'name', to: row.name },
          { field: 'roleId', to: row.role_id },
        ],
      })
      return toServiceAccount({ ...row, status: 'ACTIVE', created: config.createdAt }, role.name, [
        config,
      ])
    })
  } catch (error) {
    if (isUniqueViolation(error, 'service_accounts_name'))
      throw conflict('name_taken', 'name: a service account with this name already exists')
    throw error
  }
}

export function removeServiceAccount(
  context: AdminContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const { organizationId } = caller
  return change(context, organizationId, async (tx) => {
    const row = await findServiceAccount(tx, organizationId, id)
    if (!row) throw accountNotFound()
    await deleteServiceAccountCredentials(tx, organizationId, id, null)
    await deleteServiceAccount(tx, organizationId, id)
    await recordEvent(tx, caller, {
      event_type: 'service_account_delete',
      resource: resourceOf(id, row.name),
    })
  })
}

/** Adds a secret, so that the two overlap during a rotation; `removeAuthConfig` removes the old one. */
export async function rotateServiceAccount(
  context: AdminContext,
  caller: Caller,
  id: string,
  body: AuthConfigCreate,
): Promise<AuthConfig> {
  const { organizationId } = caller
  const account = await getServiceAccount(context, caller, id)
  checkMayGrant(caller.scopes, (await getRole(context, caller, account.roleId)).scopes)
  return context.db.tx(organizationId, async (tx) => {
    const config = await addAuthConfig(tx, caller, id, body)
    await recordEvent(tx, caller, {
      event_type: 'service_account_update',
      resource: resourceOf(id, account.name),
      changes: [{ field: 'authConfig' }],
    })
    return config
  })
}

export async function removeAuthConfig(
  context: AdminContext,
  caller: Caller,
  id: string,
  configId: string,
): Promise<void> {
  const { organizationId } = caller
  const account = await getServiceAccount(context, caller, id)
  await change(context, organizationId, async (tx) => {
    if ((await deleteAuthConfig(tx, organizationId, id, configId)) === 0)
      throw notFound('auth_config_not_found', 'auth config not found')
    await deleteServiceAccountCredentials(tx, organizationId, id, configId)
    await recordEvent(tx, caller, {
      event_type: 'service_account_update',
      resource: resourceOf(id, account.name),
      changes: [{ field: 'authConfig' }],
    })
  })
}

/** RFC 6749 §4.4: exchanges client credentials for a token that is valid for an hour. */
export async function issueToken(
  { db }: AdminContext,
  clientId: string,
  clientSecret: string,
): Promise<string> {
  const credential = await findCredential(db, hashKey(clientSecret))
  const known = credential?.kind === 'client-secret' && credential.service_account_id === clientId
  const account = known
    ? await findServiceAccount(db.tenant(credential.tenant!), credential.tenant!, clientId)
    : undefined
  if (!known || account?.status !== 'ACTIVE')
    throw unauthenticated('invalid_client', 'The client id or secret is not valid')
  const token = randomToken()
  const ends = Math.min(Date.now() + TOKEN_SECONDS * 1000, Date.parse(credential.expires_at!))
  await insertAccessToken(db, sha256(token), {
    service_account_id: clientId,
    auth_config_id: credential.auth_config_id!,
    tenant: credential.tenant!,
    expires_at: new Date(ends).toISOString(),
  })
  return token
}
