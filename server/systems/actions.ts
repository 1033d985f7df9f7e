import { addNode, deleteNode, holdNodes, restoreNode } from '../graph/index.ts'
import { changesBetween, recordEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Queryable, Tx } from '../platform/db/index.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { isId, newId } from '../platform/ids.ts'
import type { SystemContext } from './context.ts'
import type { Details } from './details.ts'
import { auditFields, resourceOf, toSystem } from './records.ts'
import type { System, SystemPut } from './schema.ts'
import {
  findSystem,
  insertSystem,
  listSshKeys,
  lockSystem,
  lockTombstone,
  markDeleted,
  type NewSystem,
  type SshKeyRow,
  type SystemRow,
  saveSystem,
} from './store.ts'

export const systemNotFound = () => notFound('system_not_found', 'Not Found: no such system')

export async function getSystem(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<SystemRow> {
  const row = isId(id) ? await findSystem(db, organizationId, id) : undefined
  if (!row) throw systemNotFound()
  return row
}

export async function sshKeysOf(
  { db }: SystemContext,
  organizationId: string,
  id: string,
): Promise<SshKeyRow[]> {
  const tenant = db.tenant(organizationId)
  const { id: systemId } = await getSystem(tenant, organizationId, id)
  return listSshKeys(tenant, organizationId, systemId)
}

/** Runs in the caller's transaction, so that a failed enrolment leaves no system behind. */
export async function createSystem(
  context: Pick<SystemContext, 'changed'>,
  tx: Tx,
  caller: Caller,
  fields: Omit<NewSystem, 'id' | 'organization_id'> & { id?: string },
): Promise<System> {
  const { organizationId } = caller
  const id = fields.id ?? newId()
  await insertSystem(tx, { ...fields, id, organization_id: organizationId })
  await addNode(tx, organizationId, 'system', id)
  const row = (await lockSystem(tx, organizationId, id))!
  await recordEvent(tx, caller, {
    event_type: 'system_create',
    resource: resourceOf(row),
    changes: changesBetween(
      {},
      { displayName: row.display_name, hostname: row.hostname, os: row.os, version: row.version },
    ),
  })
  const system = toSystem(row)
  await context.changed.fire(tx, caller, { systemId: id, before: null, after: system })
  return system
}

const FLAGS = [
  'allowMultiFactorAuthentication',
  'allowPublicKeyAuthentication',
  'allowSshPasswordAuthentication',
  'allowSshRootLogin',
] as const

function detailsAfter(before: Details, body: SystemPut): Details {
  const after: Details = { ...before }
  for (const name of FLAGS) {
    const value = body[name]
    if (value !== undefined && value !== null) after[name] = value === true || value === 'true'
  }
  if (body.tags !== undefined) after.tags = body.tags ?? []
  return after
}

function attributesAfter(before: SystemRow['attributes'], body: SystemPut) {
  if (body.attributes === undefined) return before
  const list = (body.attributes ?? []).map(({ name, value }) => ({ name, value: value ?? '' }))
  const names = new Set<string>()
  for (const { name } of list) {
    if (names.has(name))
      throw invalid('attribute_twice', `attributes: the name "${name}" appears twice`)
    names.add(name)
  }
  return list
}

function primaryUserAfter(before: string | null, body: SystemPut): string | null {
  if (body.primarySystemUser === undefined) return before
  const id = body.primarySystemUser?.id || null
  if (id !== null && !isId(id))
    throw invalid('bad_user_id', 'primarySystemUser.id: must be 24 hexadecimal characters')
  return id
}

async function checkUser(tx: Tx, organizationId: string, id: string | null): Promise<void> {
  if (id === null) return
  const [found] = await holdNodes(tx, organizationId, [{ type: 'user', id }])
  if (!found) throw invalid('user_not_found', 'primarySystemUser.id: no such user')
}

const applied = (before: SystemRow, body: SystemPut): SystemRow => ({
  ...before,
  display_name: body.displayName ?? before.display_name,
  description: body.description === undefined ? before.description : (body.description ?? ''),
  attributes: attributesAfter(before.attributes, body),
  primary_user_id: primaryUserAfter(before.primary_user_id, body),
  details: detailsAfter(before.details, body),
})

/** An unchanged record is not written and leaves no event: agents report every minute. */
export async function saveChange(
  context: Pick<SystemContext, 'changed'>,
  tx: Tx,
  caller: Caller,
  before: SystemRow,
  after: SystemRow,
): Promise<void> {
  const changes = changesBetween(auditFields(before), auditFields(after))
  if (changes.length === 0) return
  await saveSystem(tx, after)
  await recordEvent(tx, caller, {
    event_type: 'system_update',
    resource: resourceOf(after),
    changes,
  })
  await context.changed.fire(tx, caller, {
    systemId: after.id,
    before: toSystem(before),
    after: toSystem(after),
  })
}

export function updateSystem(
  context: SystemContext,
  caller: Caller,
  id: string,
  body: SystemPut,
): Promise<System> {
  const { organizationId } = caller
  return context.db.tx(organizationId, async (tx) => {
    const before = isId(id) ? await lockSystem(tx, organizationId, id) : undefined
    if (!before) throw systemNotFound()
    const after = applied(before, body)
    if (after.primary_user_id !== before.primary_user_id)
      await checkUser(tx, organizationId, after.primary_user_id)
    await saveChange(context, tx, caller, before, after)
    return toSystem(after)
  })
}

/** Soft delete: hidden everywhere, and restorable for 30 days. */
export function removeSystem(context: SystemContext, caller: Caller, id: string): Promise<System> {
  const { organizationId } = caller
  return context.db.tx(organizationId, async (tx) => {
    const row = isId(id) ? await lockSystem(tx, organizationId, id) : undefined
    if (!row) throw systemNotFound()
    const eventId = await recordEvent(tx, caller, {
      event_type: 'system_delete',
      resource: resourceOf(row),
    })
    await markDeleted(tx, organizationId, row.id, new Date().toISOString())
    const system = toSystem(row)
    // Listeners first: they may need the system's edges.
    await context.changed.fire(tx, caller, { systemId: row.id, before: system, after: null })
    await deleteNode(tx, organizationId, 'system', row.id, eventId)
    return system
  })
}

/** Restores the system with its groups and bindings; its key is valid again. */
export function restoreSystem(context: SystemContext, caller: Caller, id: string): Promise<System> {
  const { organizationId } = caller
  return context.db.tx(organizationId, async (tx) => {
    const row = isId(id) ? await lockTombstone(tx, organizationId, id) : undefined
    if (!row) throw notFound('system_not_found', 'Not Found: no such deleted system')
    await markDeleted(tx, organizationId, row.id, null)
    const eventId = await recordEvent(tx, caller, {
      event_type: 'system_restore',
      resource: resourceOf(row),
    })
    await restoreNode(tx, organizationId, 'system', row.id, eventId)
    const system = toSystem({ ...row, deleted_at: null })
    await context.changed.fire(tx, caller, { systemId: row.id, before: null, after: system })
    return system
  })
}
