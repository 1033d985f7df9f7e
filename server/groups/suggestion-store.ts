import type { Queryable } from '../platform/db/index.ts'
import { empty, sql } from '../platform/db/sql.ts'

interface Suggestion {
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

/** Whether any pending suggestion was created at or after that time. */
export const hasSuggestionsSince = async (
  db: Queryable,
  organizationId: string,
  groupId: string,
  since: string,
): Promise<boolean> =>
  (await db.one(sql`
    select 1 from group_suggestions
     where organization_id = ${organizationId} and group_id = ${groupId} and created >= ${since}::timestamptz
     limit 1`)) !== undefined

/** Deletes and returns the suggestions about these members; members without one are missing. */
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

/**
 * Replaces the suggestions of the whole group, or those about some members. An unchanged suggestion keeps its
 * timestamp. Returns the number of new ones.
 */
export async function replaceSuggestions(
  db: Queryable,
  organizationId: string,
  groupId: string,
  suggestions: { add: string[]; remove: string[] },
  memberIds: string[] | null,
): Promise<number> {
  const about = memberIds === null ? empty : sql`and member_id = any(${memberIds})`
  const { add, remove } = suggestions
  await db.run(sql`
    delete from group_suggestions
     where organization_id = ${organizationId} and group_id = ${groupId} ${about}
       and not (op = 'add' and member_id = any(${add}::text[]) or op = 'remove' and member_id = any(${remove}::text[]))`)
  const ids = [...add, ...remove]
  if (ids.length === 0) return 0
  const ops = ids.map((_, at) => (at < add.length ? 'add' : 'remove'))
  return db.run(sql`
    insert into group_suggestions (organization_id, group_id, member_id, op)
    select ${organizationId}, ${groupId}, id, op from unnest(${ids}::text[], ${ops}::text[]) as s (id, op)
    on conflict (organization_id, group_id, member_id) do update set op = excluded.op, created = now()
      where group_suggestions.op <> excluded.op`)
}

/** Deletes the suggestions about a deleted member. */
export async function forgetMember(
  db: Queryable,
  organizationId: string,
  memberId: string,
): Promise<void> {
  await db.run(sql`
    delete from group_suggestions where organization_id = ${organizationId} and member_id = ${memberId}`)
}
