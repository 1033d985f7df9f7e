import { type Actor, changesBetween, recordEvent } from '../insights/index.ts'
import { type Caller, systemCaller } from '../platform/caller.ts'
import type { Db, Queryable, Tx } from '../platform/db/index.ts'
import { forbidden, invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { checkConfirmed, checkScope, checkWholeProvider } from '../platform/rights.ts'
import type { OrganizationContext } from './context.ts'
import { settingsOf, toProvider, toProviderOrganization } from './records.ts'
import type { OrganizationCreate, OrganizationPut, ProviderPut } from './schema.ts'
import { mergeSettings, writableSettings } from './settings.ts'
import {
  findOrganization,
  findProvider,
  insertOrganization,
  insertProvider,
  lockOrganization,
  lockProvider,
  markDeleted,
  type OrganizationRow,
  type ProviderRow,
  saveOrganization,
  saveProvider,
} from './store.ts'

const organizationNotFound = () => notFound('organization_not_found', 'organization not found')
const providerNotFound = () => notFound('provider_not_found', 'provider not found')

/** The number of users is billed, so changing it requires the billing scope. */
function checkSize(caller: Caller, before: number, after: number): void {
  if (before !== after) checkScope(caller, ['organizations.billing'], 'changing maxSystemUsers')
}

export async function getOrganization(
  db: Queryable,
  organizationId: string,
): Promise<OrganizationRow> {
  const row = await findOrganization(db, organizationId)
  if (!row) throw organizationNotFound()
  return row
}

/** A provider is visible only to its own administrators. */
export async function getProvider(
  db: Queryable,
  caller: Caller,
  providerId: string,
): Promise<ProviderRow> {
  const row = caller.providerId === providerId ? await findProvider(db, providerId) : undefined
  if (!row) throw providerNotFound()
  return row
}

export function updateOrganization(
  { db }: OrganizationContext,
  caller: Caller,
  body: OrganizationPut,
): Promise<OrganizationRow> {
  const { organizationId } = caller
  return db.tx(organizationId, async (tx) => {
    const before = await lockOrganization(tx, organizationId)
    if (!before || before.deleted_at !== null) throw organizationNotFound()
    const sent = body.settings ?? {}
    const after: OrganizationRow = {
      ...before,
      name: sent.name ?? before.name,
      max_system_users: sent.maxSystemUsers ?? before.max_system_users,
      settings: mergeSettings(before.settings, writableSettings(before.settings, sent)),
    }
    checkSize(caller, before.max_system_users, after.max_system_users)
    if (settingsOf(before).requireAdminMFA && !settingsOf(after).requireAdminMFA)
      checkConfirmed(caller, 'requireAdminMFA')
    // A picture would be most of the event.
    const changes = changesBetween(settingsOf(before), settingsOf(after), ['logo'])
    if (changes.length === 0) return before
    await saveOrganization(tx, after)
    await recordEvent(tx, caller, {
      event_type: 'organization_update',
      resource: { type: 'organization', id: organizationId, name: after.name },
      changes,
    })
    return after
  })
}

export function updateProvider(
  db: Db,
  caller: Caller,
  providerId: string,
  body: ProviderPut,
): Promise<ProviderRow> {
  if (caller.providerId !== providerId) throw providerNotFound()
  checkWholeProvider(caller)
  return db.tx(providerId, async (tx) => {
    const before = await lockProvider(tx, providerId)
    if (!before) throw providerNotFound()
    const after: ProviderRow = {
      ...before,
      name: body.name ?? before.name,
      contact: body.contact === undefined ? before.contact : body.contact,
      disallow_org_creation: body.disallowOrgCreation ?? before.disallow_org_creation,
    }
    const changes = changesBetween(toProvider(before), toProvider(after))
    if (changes.length === 0) return before
    await saveProvider(tx, after)
    await recordEvent(tx, caller, {
      event_type: 'provider_update',
      resource: { type: 'provider', id: providerId },
      changes,
    })
    return after
  })
}

export async function createOrganization(
  { db, created }: Pick<OrganizationContext, 'db' | 'created'>,
  caller: Caller,
  providerId: string,
  body: OrganizationCreate,
): Promise<OrganizationRow> {
  const provider = await getProvider(db, caller, providerId)
  if (provider.disallow_org_creation) {
    throw forbidden('org_creation_disallowed', 'This provider may not create organizations')
  }
  checkSize(caller, 0, body.maxSystemUsers ?? 0)
  return db.tx(providerId, async (tx) => {
    const id = newId()
    const row = await insertOrganization(tx, {
      id,
      provider: providerId,
      name: body.name,
      settings: {},
      max_system_users: body.maxSystemUsers ?? 0,
    })
    await recordEvent(tx, caller, {
      event_type: 'organization_create',
      organization: id,
      resource: { type: 'organization', id, name: body.name },
      changes: changesBetween({}, { name: body.name, maxSystemUsers: body.maxSystemUsers ?? 0 }),
    })
    await created.fire(tx, caller, { organizationId: id })
    return row!
  })
}

export function updateProviderOrganization(
  { db }: OrganizationContext,
  caller: Caller,
  providerId: string,
  organizationId: string,
  body: Partial<OrganizationCreate>,
): Promise<OrganizationRow> {
  if (caller.providerId !== providerId) throw providerNotFound()
  if (!caller.organizationIds.has(organizationId)) throw organizationNotFound()
  return db.tx(providerId, async (tx) => {
    const before = await lockOrganization(tx, organizationId)
    if (!before || before.provider !== providerId || before.deleted_at !== null)
      throw organizationNotFound()
    const after = {
      ...before,
      name: body.name ?? before.name,
      max_system_users: body.maxSystemUsers ?? before.max_system_users,
    }
    checkSize(caller, before.max_system_users, after.max_system_users)
    const changes = changesBetween(toProviderOrganization(before), toProviderOrganization(after))
    if (changes.length === 0) return before
    await saveOrganization(tx, after)
    await recordEvent(tx, caller, {
      event_type: 'organization_update',
      organization: organizationId,
      resource: { type: 'organization', id: organizationId, name: after.name },
      changes,
    })
    return after
  })
}

/** The row of one of the provider's organizations, locked; deleted or not. */
async function lockOfProvider(
  tx: Tx,
  providerId: string | null,
  organizationId: string,
): Promise<OrganizationRow> {
  const row = await lockOrganization(tx, organizationId)
  if (!row || row.provider !== providerId) throw organizationNotFound()
  return row
}

/**
 * From the commit on the organization is gone for everybody; its data is erased when it can no longer be restored. The
 * name must be repeated, as in the console: an id is easily mistaken.
 */
export function deleteOrganization(
  { db, removed }: Pick<OrganizationContext, 'db' | 'removed'>,
  actor: Actor & { organizationId: string },
  providerId: string | null,
  organizationId: string,
  typedName: string,
): Promise<OrganizationRow> {
  return db.tx(providerId ?? organizationId, async (tx) => {
    const row = await lockOfProvider(tx, providerId, organizationId)
    if (row.deleted_at !== null) throw organizationNotFound()
    if (typedName !== row.name)
      throw invalid('name_differs', 'name: must be the name of the organization, exactly')
    const deleted = { ...row, deleted_at: new Date().toISOString() }
    await markDeleted(tx, organizationId, new Date(deleted.deleted_at))
    await recordEvent(tx, actor, {
      event_type: 'organization_delete',
      organization: organizationId,
      resource: { type: 'organization', id: organizationId, name: row.name },
    })
    await removed.fire(tx, actor, { organizationId })
    return deleted
  })
}

/** Checks what only a caller from outside needs, and deletes. */
export function deleteProviderOrganization(
  context: OrganizationContext,
  caller: Caller,
  providerId: string,
  organizationId: string,
  typedName: string,
): Promise<OrganizationRow> {
  if (caller.providerId !== providerId) throw providerNotFound()
  if (!caller.organizationIds.has(organizationId)) throw organizationNotFound()
  return deleteOrganization(context, caller, providerId, organizationId, typedName)
}

export function restoreOrganization(
  { db, removed }: OrganizationContext,
  caller: Caller,
  providerId: string,
  organizationId: string,
): Promise<OrganizationRow> {
  if (caller.providerId !== providerId) throw providerNotFound()
  checkWholeProvider(caller)
  return db.tx(providerId, async (tx) => {
    const row = await lockOfProvider(tx, providerId, organizationId)
    if (row.deleted_at === null) return row
    await markDeleted(tx, organizationId, null)
    await recordEvent(tx, caller, {
      event_type: 'organization_restore',
      organization: organizationId,
      resource: { type: 'organization', id: organizationId, name: row.name },
    })
    await removed.fire(tx, caller, { organizationId })
    return { ...row, deleted_at: null }
  })
}

/** Creates an organization without a caller; given a provider name, under a new provider. */
export async function foundOrganization(
  tx: Tx,
  name: string,
  providerName: string | null,
  ids: { organizationId: string; providerId: string } = {
    organizationId: newId(),
    providerId: newId(),
  },
): Promise<{ organizationId: string; providerId: string | null }> {
  const { organizationId } = ids
  const providerId = providerName === null ? null : ids.providerId
  if (providerId !== null) await insertProvider(tx, providerId, providerName!)
  const row = { id: organizationId, provider: providerId, name, settings: {}, max_system_users: 0 }
  await insertOrganization(tx, row)
  return { organizationId, providerId }
}

/** Creates an organization without a provider, for the operator's CLI. */
export async function foundStandaloneOrganization(db: Db, name: string): Promise<string> {
  const organizationId = newId()
  await db.tx(organizationId, async (tx) => {
    await foundOrganization(tx, name, null, { organizationId, providerId: '' })
    await recordEvent(tx, systemCaller(organizationId, 'gatehouse'), {
      event_type: 'organization_create',
      resource: { type: 'organization', id: organizationId, name },
    })
  })
  return organizationId
}
