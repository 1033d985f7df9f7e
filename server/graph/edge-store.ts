import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import { counted } from './counts-sql.ts'
import { groupTypeOf, memberTypeOf, type NodeRef, ordered } from './pairs.ts'

/** Locks nodes against deletion until the transaction ends, and returns those that exist. */
export const holdNodes = (
  tx: Queryable,
  organizationId: string,
  nodes: NodeRef[],
): Promise<NodeRef[]> =>
  tx.many<NodeRef>(sql`
    select n.type, n.id from nodes n
      join unnest(${nodes.map(({ type }) => type)}::text[], ${nodes.map(({ id }) => id)}::text[]) as w (type, id)
        on n.type = w.type and n.id = w.id
     where n.organization_id = ${organizationId} and n.deleted_at is null
     order by n.type, n.id
       for share of n`)

/** False when the edge exists already. Only demo data has no event. */
export async function insertEdge(
  tx: Queryable,
  organizationId: string,
  a: NodeRef,
  b: NodeRef,
  attributes: object | null,
  eventId: string | null,
): Promise<boolean> {
  const { from, to } = ordered(a, b)
  const insert = sql`
    insert into edges (organization_id, from_type, from_id, to_type, to_id, attributes, granted_by)
    values (${organizationId}, ${from.type}, ${from.id}, ${to.type}, ${to.id},
            ${attributes && JSON.stringify(attributes)}, ${eventId})
    on conflict do nothing`
  const inserted = await tx.run(counted(1, insert))
  return inserted > 0
}

/** Returns the attributes of the ended edge, or undefined if there was none. */
export async function endEdge(
  tx: Queryable,
  organizationId: string,
  a: NodeRef,
  b: NodeRef,
  eventId: string,
): Promise<{ attributes: object | null } | undefined> {
  const { from, to } = ordered(a, b)
  const end = sql`
    update edges set valid_until = clock_timestamp(), ended_by = ${eventId}
     where organization_id = ${organizationId} and valid_until is null
       and from_type = ${from.type} and from_id = ${from.id} and to_type = ${to.type} and to_id = ${to.id}`
  return tx.one(counted(-1, end))
}

/** The current edge, locked for update. */
export async function lockEdge(
  tx: Queryable,
  organizationId: string,
  a: NodeRef,
  b: NodeRef,
): Promise<{ attributes: Record<string, unknown> | null } | undefined> {
  const { from, to } = ordered(a, b)
  return tx.one(sql`
    select attributes from edges
     where organization_id = ${organizationId} and valid_until is null
       and from_type = ${from.type} and from_id = ${from.id} and to_type = ${to.type} and to_id = ${to.id}
       for update`)
}

/** Ends the edge and inserts its successor with the new attributes at the same instant: history keeps the old ones. */
export async function replaceEdge(
  tx: Queryable,
  organizationId: string,
  a: NodeRef,
  b: NodeRef,
  attributes: object | null,
  eventId: string,
): Promise<void> {
  const { from, to } = ordered(a, b)
  await tx.run(sql`
    with instant as (select clock_timestamp() as now),
    ended as (
      update edges set valid_until = instant.now, ended_by = ${eventId} from instant
       where organization_id = ${organizationId} and valid_until is null
         and from_type = ${from.type} and from_id = ${from.id} and to_type = ${to.type} and to_id = ${to.id}
      returning edges.*
    )
    insert into edges (organization_id, from_type, from_id, to_type, to_id, attributes, valid_from, granted_by)
    select organization_id, from_type, from_id, to_type, to_id, ${attributes && JSON.stringify(attributes)}::jsonb,
           valid_until, ended_by
      from ended`)
}

/** The current members of a group, optionally limited to the ids in `only`. */
export async function membersOf(
  db: Queryable,
  organizationId: string,
  group: NodeRef,
  only: string[] | null = null,
): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`
    select to_id as id from edges
     where organization_id = ${organizationId} and valid_until is null
       and from_type = ${group.type} and from_id = ${group.id} and to_type = ${memberTypeOf(group.type)}
       and (${only}::text[] is null or to_id = any(${only}))`)
  return rows.map(({ id }) => id)
}

/** The groups that a node is a member of now. */
export async function groupsOf(
  db: Queryable,
  organizationId: string,
  member: NodeRef,
): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`
    select from_id as id from edges
     where organization_id = ${organizationId} and valid_until is null
       and to_type = ${member.type} and to_id = ${member.id} and from_type = ${groupTypeOf(member.type)}`)
  return rows.map(({ id }) => id)
}

/** Whether a user, or the members of a group, have sudo: by a flag, or by associations with systems or users. */
export async function givesSudo(
  db: Queryable,
  organizationId: string,
  holder: NodeRef,
): Promise<boolean> {
  const found = await db.one(sql`
    select 1 where exists (
      select from nodes n
       where n.organization_id = ${organizationId} and n.type = ${holder.type} and n.id = ${holder.id}
         and n.attributes -> 'sudo' ->> 'enabled' = 'true')
     or exists (
      select from edges e
       where e.organization_id = ${organizationId} and e.valid_until is null
         and e.from_type = ${holder.type} and e.from_id = ${holder.id} and e.to_type in ('system', 'system_group')
         and e.attributes -> 'sudo' ->> 'enabled' = 'true')
     or exists (
      select from edges e
       where e.organization_id = ${organizationId} and e.valid_until is null
         and e.to_type = ${holder.type} and e.to_id = ${holder.id} and e.from_type in ('user', 'user_group')
         and e.attributes -> 'sudo' ->> 'enabled' = 'true')`)
  return found !== undefined
}
