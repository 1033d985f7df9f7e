import { resolveRoles } from '../admins/index.ts'
import type { TenantDb } from '../platform/db/index.ts'
import { notFound } from '../platform/errors.ts'
import type { UserContext } from './context.ts'
import { toUser } from './records.ts'
import {
  administratorsAmong,
  findAdministrator,
  findUserWithAdministrator,
  groupIdsOf,
} from './related-store.ts'
import type { User } from './schema.ts'
import type { UserRow } from './store.ts'

async function adminMember(
  db: TenantDb,
  organizationId: string,
  id: string,
  roleIds: string[],
): Promise<NonNullable<User['admin']>> {
  const roles = await resolveRoles(db, organizationId, roleIds)
  const roleNames = roles.map((role) => role.name)
  return { id, roleName: roleNames[0] ?? '', roleNames }
}

/** Records with the fields that other slices own. */
export async function describeUsers(
  { db }: Pick<UserContext, 'db'>,
  organizationId: string,
  rows: readonly UserRow[],
): Promise<User[]> {
  if (rows.length === 0) return []
  const tenant = db.tenant(organizationId)
  const ids = rows.map(({ id }) => id)
  const links = await administratorsAmong(tenant, organizationId, ids)
  const users = rows.map((row) => toUser(row))
  for (const { user_id, id, role_ids } of links) {
    const user = users.find((one) => one.id === user_id)
    if (user) user.admin = await adminMember(tenant, organizationId, id, role_ids)
  }
  return users
}

/** The same for a single row that is already loaded. */
export async function describeRow(
  { db }: Pick<UserContext, 'db'>,
  organizationId: string,
  row: UserRow,
): Promise<User> {
  const tenant = db.tenant(organizationId)
  const user = toUser(row)
  const link = await findAdministrator(tenant, organizationId, row.email)
  if (link) user.admin = await adminMember(tenant, organizationId, link.id, link.role_ids)
  return user
}

export async function describeUser(
  { db }: Pick<UserContext, 'db'>,
  organizationId: string,
  id: string,
): Promise<User> {
  const tenant = db.tenant(organizationId)
  const row = await findUserWithAdministrator(tenant, organizationId, id)
  if (!row) throw notFound('user_not_found', 'user not found')
  const user = toUser(row)
  if (row.admin_id === null) return user
  const admin = await adminMember(tenant, organizationId, row.admin_id, row.admin_role_ids)
  return { ...user, admin }
}

/** Adds `memberof`, which only search results have. */
export async function withGroups(
  { db }: Pick<UserContext, 'db'>,
  organizationId: string,
  users: User[],
): Promise<User[]> {
  const ids = users.map(({ id }) => id)
  const found = await groupIdsOf(db.tenant(organizationId), organizationId, ids)
  const groups = new Map(found.map(({ user_id, group_ids }) => [user_id, group_ids]))
  return users.map((user) => ({ ...user, memberof: groups.get(user.id) ?? [] }))
}
