import { resolveRoles } from '../admins/index.ts'
import type { TenantDb } from '../platform/db.ts'
import { notFound } from '../platform/errors.ts'
import type { UserContext } from './context.ts'
import { toUser } from './records.ts'
import {
  type AdministratorLink,
  administratorAs,
  administratorsAmong,
  groupIdsOf,
} from './related-store.ts'
import type { User } from './schema.ts'
import { findUser, type UserRow } from './store.ts'

async function adminMember(
  db: TenantDb,
  organizationId: string,
  link: AdministratorLink | undefined,
): Promise<NonNullable<User['admin']> | null> {
  if (!link) return null
  const roles = await resolveRoles(db, organizationId, link.role_ids)
  const roleNames = roles.map((role) => role.name)
  return { id: link.id, roleName: roleNames[0] ?? '', roleNames }
}

/** Records with what others know about their users. */
export async function describeUsers(
  { db }: Pick<UserContext, 'db'>,
  organizationId: string,
  rows: readonly UserRow[],
): Promise<User[]> {
  if (rows.length === 0) return []
  const tenant = db.tenant(organizationId)
  const ids = rows.map(({ id }) => id)
  const links = await administratorsAmong(tenant, organizationId, ids)
  return Promise.all(
    rows.map(async (row) => {
      const link = links.find(({ user_id }) => user_id === row.id)
      return link
        ? { ...toUser(row), admin: await adminMember(tenant, organizationId, link) }
        : toUser(row)
    }),
  )
}

export async function describeUser(
  { db }: Pick<UserContext, 'db'>,
  organizationId: string,
  id: string,
): Promise<User> {
  const tenant = db.tenant(organizationId)
  const [row, link] = await Promise.all([
    findUser(tenant, organizationId, id),
    administratorAs(tenant, organizationId, id),
  ])
  if (!row) throw notFound('user_not_found', 'user not found')
  return { ...toUser(row), admin: await adminMember(tenant, organizationId, link) }
}

/** `memberof`, which search results carry. */
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
