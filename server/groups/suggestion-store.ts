import type { Queryable } from '../platform/db.ts'
import { empty, sql } from '../platform/sql.ts'

export interface Suggestion {
  member_id: string
  op: 'add' | 'remove'
}

export const readSuggestions = (
  db: Queryable,
  organizationId: string,
  groupId: string,
  limit: number,
  skip: number,
): Promise<(Suggestion & { total: number })[]> =>
  db.many(sql`
    select member_id, op, count(*) over () as total from group_suggestions
     where organization_id = ${organizationId} and group_id = ${groupId}
     order by member_id limit ${limit} offset ${skip}`)

export async function countSuggestions(
  db: Queryable,
  organizationId: string,
  groupId: string,
): Promise<{ add: number; remove: number; total: number }> {
  const row = await db.one<{ add: number; remove: number; total: number }>(sql`
    select count(*) filter (where op = 'add') as add, count(*) filter (where op = 'remove') as remove, count(*) as total
      from group_suggestions where organization_id = ${organizationId} and group_id = ${groupId}`)
  return row!
}

/** Takes these away and tells them; those who were not suggested are missing. */
export const takeSuggestions = (
  db: Queryable,
  organizationId: string,
  groupId: string,
  memberIds: string[],
): Promise<Suggestion[]> =>
  db.many<Suggestion>(sql`
    delete from group_suggestions
     where organization_id = ${organizationId} and group_id = ${groupId} and member_id = any(${memberIds})
    returning member_id, op`)

/** Of the whole group, or about some of its members only. */
export async function replaceSuggestions(
  db: Queryable,
  organizationId: string,
  groupId: string,
  suggestions: { add: string[]; remove: string[] },
  memberIds: string[] | null,
): Promise<void> {
  const about = memberIds === null ? empty : sql`and member_id = any(${memberIds})`
  await db.run(sql`
    delete from group_suggestions where organization_id = ${organizationId} and group_id = ${groupId} ${about}`)
  const ids = [...suggestions.add, ...suggestions.remove]
  if (ids.length === 0) return
  const ops = ids.map((_, at) => (at < suggestions.add.length ? 'add' : 'remove'))
  await db.run(sql`
    insert into group_suggestions (organization_id, group_id, member_id, op)
    select ${organizationId}, ${groupId}, id, op from unnest(${ids}::text[], ${ops}::text[]) as s (id, op)
    on conflict (organization_id, group_id, member_id) do update set op = excluded.op`)
}

/** About somebody who is gone. */
export async function forgetMember(
  db: Queryable,
  organizationId: string,
  memberId: string,
): Promise<void> {
  await db.run(sql`
    delete from group_suggestions where organization_id = ${organizationId} and member_id = ${memberId}`)
}
