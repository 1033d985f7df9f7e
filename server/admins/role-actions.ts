import { changesBetween, recordEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import { isUniqueViolation } from '../platform/db/index.ts'
import { conflict, forbidden, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { checkMayChange, checkWidening } from './bounds.ts'
import { type AdminContext, change } from './context.ts'
import { BUILT_IN_ROLES, builtInRole, checkMayGrant, checkScopes, type Role } from './roles.ts'
import type { RoleWrite } from './schema.ts'
import { holdersOfRole } from './store.ts'
import {
  deleteRole,
  findRoles,
  insertRole,
  listRoles,
  lockRole,
  type RoleRow,
  roleIsUsed,
  saveRole,
} from './tenant-store.ts'

const roleNotFound = () => notFound('role_not_found', 'role not found')
const nameTaken = () => conflict('role_name_taken', 'name: a role with this name already exists')

export async function allRoles({ db }: AdminContext, caller: Caller): Promise<Role[]> {
  const own = await listRoles(db.tenant(caller.organizationId), caller.organizationId)
  return [...BUILT_IN_ROLES, ...own]
}

export async function getRole({ db }: AdminContext, caller: Caller, id: string): Promise<Role> {
  const role =
    builtInRole(id) ??
    (await findRoles(db.tenant(caller.organizationId), caller.organizationId, [id]))[0]
  if (!role) throw roleNotFound()
  return role
}

function checkRole(caller: Caller, body: RoleWrite): void {
  checkScopes(body.scopes)
  checkMayGrant(caller.scopes, body.scopes)
  if (builtInRole(body.name)) throw nameTaken()
}

const rowOf = (id: string, body: RoleWrite): RoleRow => ({
  id,
  name: body.name,
  description: body.description ?? '',
  scopes: [...new Set(body.scopes)],
})

async function saving<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isUniqueViolation(error, 'roles_name')) throw nameTaken()
    throw error
  }
}

export function createRole(context: AdminContext, caller: Caller, body: RoleWrite): Promise<Role> {
  checkRole(caller, body)
  const role = rowOf(newId(), body)
  return saving(
    // A new role has no holders, so the credential cache stays valid.
    context.db.tx(caller.organizationId, async (tx) => {
      await insertRole(tx, caller.organizationId, role)
      await recordEvent(tx, caller, {
        event_type: 'role_create',
        resource: { type: 'role', id: role.id, name: role.name },
        changes: changesBetween(
          {},
          { name: role.name, description: role.description, scopes: role.scopes },
        ),
      })
      return role
    }),
  )
}

/** A full replace: missing members take their defaults. It affects all holders of the role. */
export function replaceRole(
  context: AdminContext,
  caller: Caller,
  id: string,
  body: RoleWrite,
): Promise<Role> {
  if (builtInRole(id))
    throw forbidden('role_built_in', 'Forbidden: built-in roles cannot be changed')
  checkRole(caller, body)
  return saving(
    change(context, caller.organizationId, async (tx) => {
      const before = await lockRole(tx, caller.organizationId, id)
      if (!before) throw roleNotFound()
      checkMayGrant(caller.scopes, before.scopes)
      for (const holder of await holdersOfRole(tx, caller.organizationId, id))
        await checkMayChange(tx, caller, holder)
      const after = rowOf(id, body)
      checkWidening(caller, before.scopes, after.scopes, 'a wider role')
      await saveRole(tx, caller.organizationId, after)
      await recordEvent(tx, caller, {
        event_type: 'role_update',
        resource: { type: 'role', id, name: after.name },
        changes: changesBetween(before, after),
      })
      return after
    }),
  )
}

export function removeRole(context: AdminContext, caller: Caller, id: string): Promise<void> {
  if (builtInRole(id))
    throw forbidden('role_built_in', 'Forbidden: built-in roles cannot be deleted')
  return change(context, caller.organizationId, async (tx) => {
    const role = await lockRole(tx, caller.organizationId, id)
    if (!role) throw roleNotFound()
    if (await roleIsUsed(tx, caller.organizationId, id))
      throw conflict(
        'role_in_use',
        'The role is still assigned to an administrator or service account',
      )
    await deleteRole(tx, caller.organizationId, id)
    await recordEvent(tx, caller, {
      event_type: 'role_delete',
      resource: { type: 'role', id, name: role.name },
    })
  })
}
