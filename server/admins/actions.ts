import { changesBetween, leaveSavedSearches, recordEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import { isUniqueViolation, type Tx } from '../platform/db/index.ts'
import { conflict, forbidden, invalid, notFound, precondition } from '../platform/errors.ts'
import type { Listener } from '../platform/hooks.ts'
import { newId } from '../platform/ids.ts'
import type { Page } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'
import { checkConfirmed } from '../platform/rights.ts'
import { hashKey, keyPrefix, newApiKey } from './api-key.ts'
import { resolveRoles } from './authenticate.ts'
import { checkEnds, checkMayChange, checkWidening } from './bounds.ts'
import { type AdminContext, change } from './context.ts'
import { deleteAdministratorKey, insertAdministratorKey } from './credential-store.ts'
import { leaveAddress, mailPasswordLink } from './password-links.ts'
import { resourceOf } from './records.ts'
import { builtInRole, checkMayGrant, checkScopes, type Role } from './roles.ts'
import type { AdministratorCreate, AdministratorPut, ApiKeyRequest } from './schema.ts'
import { deleteSessionsOf } from './session-store.ts'
import {
  type AdministratorDetail,
  type AdministratorRow,
  deleteAdministrator,
  findAdministrator,
  insertAdministrator,
  linkOrganizations,
  listAdministrators,
  lockAdministrator,
  providerOwnerIds,
  saveAdministrator,
  saveTotp,
} from './store.ts'
import { findRoleByName, findRoles } from './tenant-store.ts'

interface WithRoles {
  row: AdministratorDetail
  roles: Role[]
}

const administratorNotFound = () => notFound('administrator_not_found', 'administrator not found')
const emailTaken = () =>
  conflict('email_taken', 'email: an administrator with this address already exists')

const scopesOf = (roles: Role[]): string[] => roles.flatMap(({ scopes }) => [...scopes])

/** The fields recorded in events; never a hash, a TOTP secret or a key. */
const auditFields = (row: AdministratorRow) => ({
  email: row.email,
  firstname: row.firstname,
  lastname: row.lastname,
  roles: row.role_ids,
  enableMultiFactor: row.enable_multi_factor,
  apiKeyAllowed: row.api_key_allowed,
  suspended: row.suspended,
})

export async function getAdministrator(
  { db }: AdminContext,
  caller: Caller,
  id: string,
): Promise<WithRoles> {
  const row = await findAdministrator(db, caller.homeId, id)
  if (!row) throw administratorNotFound()
  return { row, roles: await resolveRoles(db.tenant(caller.homeId), caller.homeId, row.role_ids) }
}

export async function pageOfAdministrators(
  { db }: AdminContext,
  homeId: string,
  list: ListQuery,
): Promise<Page<WithRoles>> {
  const { totalCount, results } = await listAdministrators(db, homeId, list)
  const ids = [...new Set(results.flatMap((row) => row.role_ids))]
  const roles = await resolveRoles(db.tenant(homeId), homeId, ids)
  const of = (row: AdministratorDetail) =>
    row.role_ids.flatMap((id) => roles.find((role) => role.id === id) ?? [])
  return { totalCount, results: results.map((row) => ({ row, roles: of(row) })) }
}

/** The roles that a request names by id or name; null if it names none. */
async function chosenRoles(tx: Tx, caller: Caller, body: AdministratorPut): Promise<Role[] | null> {
  const names = body.roleNames ?? (body.roleName ? [body.roleName] : body.role ? [body.role] : null)
  if (names === null) return null
  const roles: Role[] = []
  for (const name of names) {
    const role =
      builtInRole(name) ??
      (await findRoles(tx, caller.homeId, [name]))[0] ??
      (await findRoleByName(tx, caller.homeId, name))
    if (!role) throw invalid('unknown_role', `roleName: unknown role "${name}"`)
    roles.push(role)
  }
  checkMayGrant(caller.scopes, scopesOf(roles))
  return roles
}

interface CreateOptions {
  bindNoOrgs?: boolean
  /** v2 requires a role; v1 clients may omit it. */
  roleRequired?: boolean
}

export async function createAdministrator(
  context: AdminContext,
  caller: Caller,
  body: AdministratorCreate,
  options: CreateOptions = {},
): Promise<WithRoles> {
  const { homeId } = caller
  checkEnds(caller, null, 'an administrator')
  const id = newId()
  try {
    await change(context, homeId, async (tx) => {
      let roles = await chosenRoles(tx, caller, body)
      if (!roles) {
        if (options.roleRequired) throw invalid('role_required', 'role or roleName is required')
        roles = [builtInRole('Administrator')!]
        checkMayGrant(caller.scopes, roles[0]!.scopes)
      }
      const row = {
        id,
        organization: caller.providerId === null ? homeId : null,
        provider: caller.providerId,
        email: body.email.trim(),
        firstname: body.firstname ?? '',
        lastname: body.lastname ?? '',
        role_ids: roles.map((role) => role.id),
        enable_multi_factor: body.enableMultiFactor ?? false,
        api_key_allowed: body.apiKeyAllowed ?? true,
      }
      await insertAdministrator(tx, row)
      if (caller.providerId !== null && !options.bindNoOrgs) {
        const links = [...caller.organizationIds].map((organization) => ({
          id: newId(),
          organization,
        }))
        await linkOrganizations(tx, id, links)
      }
      await mailPasswordLink(context, tx, row, 'welcome')
      await recordEvent(tx, caller, {
        event_type: 'admin_create',
        resource: resourceOf(row),
        changes: changesBetween(
          {},
          { email: row.email, roles: row.role_ids, enableMultiFactor: row.enable_multi_factor },
        ),
      })
    })
  } catch (error) {
    if (isUniqueViolation(error, 'administrators_email')) throw emailTaken()
    throw error
  }
  return getAdministrator(context, caller, id)
}

export async function updateAdministrator(
  context: AdminContext,
  caller: Caller,
  id: string,
  body: AdministratorPut,
): Promise<WithRoles> {
  try {
    await change(context, caller.homeId, async (tx) => {
      const before = await lockAdministrator(tx, caller.homeId, id)
      if (!before) throw administratorNotFound()
      await checkMayChange(tx, caller, before)
      const roles = await chosenRoles(tx, caller, body)
      if (id === caller.id && body.suspended)
        throw invalid('suspend_self', 'suspended: you cannot suspend yourself')
      const after: AdministratorRow = {
        ...before,
        email: body.email?.trim() ?? before.email,
        firstname: body.firstname === undefined ? before.firstname : (body.firstname ?? ''),
        lastname: body.lastname === undefined ? before.lastname : (body.lastname ?? ''),
        role_ids: roles?.map((role) => role.id) ?? before.role_ids,
        enable_multi_factor: body.enableMultiFactor ?? before.enable_multi_factor,
        api_key_allowed: body.apiKeyAllowed ?? before.api_key_allowed,
        suspended: body.suspended ?? before.suspended,
        growth_data: (body.growthData as Record<string, unknown> | undefined) ?? before.growth_data,
        last_whats_new_checked:
          body.lastWhatsNewChecked === undefined
            ? before.last_whats_new_checked
            : body.lastWhatsNewChecked,
        users_time_zone:
          body.usersTimeZone === undefined ? before.users_time_zone : body.usersTimeZone,
      }
      if (after.email !== before.email) checkConfirmed(caller, 'email')
      if (before.enable_multi_factor && !after.enable_multi_factor)
        checkConfirmed(caller, 'enableMultiFactor')
      if (roles) {
        const held = await resolveRoles(tx, caller.homeId, before.role_ids)
        checkWidening(caller, scopesOf(held), scopesOf(roles), 'a wider role')
      }
      await saveAdministrator(tx, after)
      if (after.email !== before.email) await leaveAddress(context, tx, before, after)
      const resource = resourceOf(after)
      const { suspended: was, ...fieldsBefore } = auditFields(before)
      const { suspended: is, ...fieldsAfter } = auditFields(after)
      const changes = changesBetween(fieldsBefore, fieldsAfter)
      if (changes.length > 0)
        await recordEvent(tx, caller, { event_type: 'admin_update', resource, changes })
      if (was !== is) {
        if (is) await deleteSessionsOf(tx, id)
        await recordEvent(tx, caller, {
          event_type: is ? 'admin_suspended' : 'admin_unsuspend',
          resource,
          changes: [{ field: 'suspended', from: was, to: is }],
        })
      }
    })
  } catch (error) {
    if (isUniqueViolation(error, 'administrators_email')) throw emailTaken()
    throw error
  }
  return getAdministrator(context, caller, id)
}

export async function removeAdministrator(
  context: AdminContext,
  caller: Caller,
  id: string,
): Promise<WithRoles> {
  if (id === caller.id) throw invalid('delete_self', 'You cannot delete yourself')
  const found = await getAdministrator(context, caller, id)
  await change(context, caller.homeId, async (tx) => {
    await checkMayChange(tx, caller, found.row)
    if ((await deleteAdministrator(tx, caller.homeId, id)) === 0) throw administratorNotFound()
    await leaveSavedSearches(tx, id)
    await recordEvent(tx, caller, { event_type: 'admin_delete', resource: resourceOf(found.row) })
  })
  return found
}

/** Resends the welcome mail, and lifts a suspension. */
export function reactivateAdministrator(
  context: AdminContext,
  caller: Caller,
  id: string,
): Promise<void> {
  return change(context, caller.homeId, async (tx) => {
    const row = await lockAdministrator(tx, caller.homeId, id)
    if (!row) throw administratorNotFound()
    await checkMayChange(tx, caller, row)
    if (row.suspended) {
      await saveAdministrator(tx, { ...row, suspended: false })
      await recordEvent(tx, caller, {
        event_type: 'admin_unsuspend',
        resource: resourceOf(row),
        changes: [{ field: 'suspended', from: true, to: false }],
      })
    }
    await mailPasswordLink(context, tx, row, 'welcome')
    await recordEvent(tx, caller, {
      event_type: 'admin_password_reset_request',
      resource: resourceOf(row),
    })
  })
}

export function resetTotp({ db }: AdminContext, caller: Caller, id: string): Promise<void> {
  return db.tx(caller.homeId, async (tx) => {
    const row = await lockAdministrator(tx, caller.homeId, id)
    if (!row) throw administratorNotFound()
    await checkMayChange(tx, caller, row)
    if (row.totp_secret === null)
      throw precondition('totp_not_enrolled', 'This administrator has not enrolled TOTP')
    checkConfirmed(caller, 'a second factor')
    await saveTotp(tx, id, { secret: null, pending: null, counter: null, recoveryCodes: [] })
    await deleteSessionsOf(tx, id)
    await recordEvent(tx, caller, { event_type: 'admin_totp_disable', resource: resourceOf(row) })
  })
}

/**
 * Replaces the caller's own key; the old one is revoked at once. A key is personal, so no one can create one for another
 * administrator. The new key has no wider scopes and no later expiry than the credential of the request.
 */
export async function resetApiKey(
  context: AdminContext,
  caller: Caller,
  id: string,
  body: ApiKeyRequest,
) {
  if (id !== caller.id || caller.initiator.type !== 'admin') {
    throw forbidden('key_of_another', 'Forbidden: only its owner can reset an API key')
  }
  const expiresAt = body.expireAt ?? null
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
    throw invalid('expiry_past', 'expireAt: must be in the future')
  checkEnds(
    caller,
    expiresAt,
    expiresAt === null ? 'a key without expireAt' : 'a key until expireAt',
  )
  const key = newApiKey()
  const row = await change(context, caller.homeId, async (tx) => {
    const owner = await lockAdministrator(tx, caller.homeId, id)
    if (!owner) throw administratorNotFound()
    if (!owner.api_key_allowed)
      throw forbidden('key_not_allowed', 'Forbidden: this administrator may not have an API key')
    const roles = await resolveRoles(tx, caller.homeId, owner.role_ids)
    const full = scopesOf(roles)
    if (body.scopes) {
      checkScopes(body.scopes)
      checkMayGrant(new Set(full), body.scopes)
    }
    checkMayGrant(caller.scopes, body.scopes ?? full)
    await deleteAdministratorKey(tx, id)
    const made = await insertAdministratorKey(tx, id, {
      hash: hashKey(key),
      prefix: keyPrefix(key),
      scopes: body.scopes ?? null,
      expiresAt,
    })
    await recordEvent(tx, caller, {
      event_type: 'admin_update',
      resource: resourceOf(owner),
      changes: [{ field: 'apiKey' }],
    })
    return made!
  })
  return {
    apiKey: key,
    createdAt: row.created,
    expireAt: row.expires_at,
    prefix: row.prefix,
    ...(row.scopes && { scopes: row.scopes }),
  }
}

/** Allowed to those who may change the administrator, and to the key itself. */
export function revokeApiKey(context: AdminContext, caller: Caller, id: string): Promise<void> {
  return change(context, caller.homeId, async (tx) => {
    const row = await lockAdministrator(tx, caller.homeId, id)
    if (!row) throw administratorNotFound()
    if (id !== caller.id) await checkMayChange(tx, caller, row)
    if ((await deleteAdministratorKey(tx, id)) === 0)
      throw notFound('key_not_found', 'This administrator has no API key')
    await recordEvent(tx, caller, {
      event_type: 'admin_update',
      resource: resourceOf(row),
      changes: [{ field: 'apiKey' }],
    })
  })
}

/** Gives access to a new organization to the owners of the provider and to its creator. */
export const linkNewOrganization =
  ({ cache }: Pick<AdminContext, 'cache'>): Listener<Caller, { organizationId: string }> =>
  async (tx, caller, { organizationId }) => {
    if (caller.providerId === null) return
    const ownerRole = builtInRole('Administrator with Billing')!.id
    const owners = await providerOwnerIds(tx, caller.providerId, ownerRole, organizationId)
    const ids = new Set(owners.map((owner) => owner.id))
    if (caller.initiator.type === 'admin') ids.add(caller.id)
    const link = { organization: organizationId }
    // Also without links: it changes how far the service accounts of the provider reach.
    const announced = await cache.announce(tx)
    for (const id of ids) await linkOrganizations(announced, id, [{ id: newId(), ...link }])
  }
