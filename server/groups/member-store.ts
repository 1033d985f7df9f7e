import type { Queryable } from '../platform/db/index.ts'
import { empty, join, type Sql, sql } from '../platform/db/sql.ts'

// Rules match on the tables of users and systems, which this file only reads.

export type MemberType = 'user' | 'system'

/** Table aliases that the conditions of each slice expect. */
const TABLES: Record<MemberType, Sql> = { user: sql`users u`, system: sql`systems s` }

const living = (organizationId: string) =>
  sql`organization_id = ${organizationId} and deleted_at is null`

/** Ids that match the condition, limited to `only` unless it is null. */
export async function matchingMembers(
  db: Queryable,
  organizationId: string,
  type: MemberType,
  condition: Sql,
  only: string[] | null,
): Promise<string[]> {
  const among = only === null ? empty : sql`and id = any(${only})`
  const rows = await db.many<{ id: string }>(
    sql`select id from ${TABLES[type]} where ${living(organizationId)} ${among} and ${condition}`,
  )
  return rows.map(({ id }) => id)
}

/** Evaluates all conditions for one member in a single statement. */
export async function conditionsOf(
  db: Queryable,
  organizationId: string,
  type: MemberType,
  id: string,
  conditions: Sql[],
): Promise<boolean[]> {
  const held = join(
    conditions.map((condition) => sql`(${condition})`),
    ', ',
  )
  const row = await db.one<{ held: boolean[] }>(
    sql`select array[${held}] as held from ${TABLES[type]} where ${living(organizationId)} and id = ${id}`,
  )
  return row?.held ?? conditions.map(() => false)
}

const NAMES: Record<MemberType, Sql> = {
  user: sql`username`,
  system: sql`coalesce(nullif(display_name, ''), hostname)`,
}

export async function memberNames(
  db: Queryable,
  organizationId: string,
  type: MemberType,
  ids: string[],
): Promise<Map<string, string>> {
  const rows = await db.many<{ id: string; name: string }>(sql`
    select id, ${NAMES[type]} as name from ${TABLES[type]}
     where organization_id = ${organizationId} and id = any(${ids})`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The groups of each user. */
export const groupsOfUsers = (db: Queryable, organizationId: string, userIds: readonly string[]) =>
  db.many<{ user_id: string; id: string; name: string }>(sql`
    select m.to_id::text as user_id, g.id, g.name
      from edges m join groups g
        on g.organization_id = ${organizationId} and g.type = 'user_group' and g.id = m.from_id and g.deleted_at is null
     where m.organization_id = ${organizationId} and m.from_type = 'user_group' and m.to_type = 'user'
       and m.to_id = any(${userIds}::text[]) and m.valid_until is null
     order by g.id`)
