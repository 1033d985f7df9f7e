import { project } from '../platform/list/page.ts'
import { findUsers, toUser } from '../users/index.ts'
import type { SystemContext } from './context.ts'
import { toSystem } from './records.ts'
import { groupIdsAmong } from './related-store.ts'
import { type FoundSystem, PRIMARY_USER_TEXTS } from './schema.ts'
import type { SystemRow } from './store.ts'

/** Keys that contain a dot, as search clients expect them. */
function dotted(user: ReturnType<typeof toUser>, memberof: string[]): Partial<FoundSystem> {
  const texts = PRIMARY_USER_TEXTS.map((name) => {
    const value = (user as Record<string, unknown>)[name]
    return [`primarySystemUser.${name}`, value ?? null]
  })
  return {
    ...Object.fromEntries(texts),
    'primarySystemUser.attributes': user.attributes ?? [],
    'primarySystemUser.memberof': memberof,
  }
}

/** Records with their groups and primary users, in two statements for any page size. */
export async function describeFound(
  { db }: Pick<SystemContext, 'db'>,
  organizationId: string,
  rows: SystemRow[],
  fields: string[] | null,
): Promise<FoundSystem[]> {
  if (rows.length === 0) return []
  const tenant = db.tenant(organizationId)
  const userIds = [...new Set(rows.flatMap(({ primary_user_id }) => primary_user_id ?? []))]
  const [groups, people] = await Promise.all([
    groupIdsAmong(tenant, organizationId, [...rows.map(({ id }) => id), ...userIds]),
    findUsers(tenant, organizationId, userIds),
  ])
  const groupsOf = new Map(groups.map(({ id, group_ids }) => [id, group_ids]))
  const users = new Map(people.map((row) => [row.id, toUser(row)]))
  return rows.map((row) => {
    const user = users.get(row.primary_user_id ?? '')
    const found: FoundSystem = {
      ...toSystem(row),
      memberof: groupsOf.get(row.id) ?? [],
      ...(user && dotted(user, groupsOf.get(user.id) ?? [])),
    }
    const chosen = fields?.filter((name) => Object.hasOwn(found, name)) ?? []
    // `project` matches the part before the dot; these names contain one.
    return {
      ...project(found, fields),
      ...Object.fromEntries(chosen.map((name) => [name, found[name as keyof FoundSystem]])),
    } as FoundSystem
  })
}
