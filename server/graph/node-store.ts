import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import { counted, countedNodes } from './counts-sql.ts'
import type { NodeType } from './pairs.ts'

/** Call it in the transaction that creates the record. */
export async function addNode(
  tx: Queryable,
  organizationId: string,
  type: NodeType,
  id: string,
  attributes: object | null = null,
): Promise<void> {
  const insert = sql`
    insert into nodes (organization_id, type, id, attributes)
    values (${organizationId}, ${type}, ${id}, ${attributes && JSON.stringify(attributes)})`
  await tx.run(countedNodes(1, organizationId, type, insert))
}

/** Like `addNode`, in one statement. */
export async function addNodes(
  tx: Queryable,
  organizationId: string,
  type: NodeType,
  ids: readonly string[],
): Promise<void> {
  const insert = sql`
    insert into nodes (organization_id, type, id)
    select ${organizationId}, ${type}, id from unnest(${ids}::text[]) as new (id)`
  await tx.run(countedNodes(1, organizationId, type, insert))
}

export async function setNodeAttributes(
  tx: Queryable,
  organizationId: string,
  type: NodeType,
  id: string,
  attributes: object | null,
): Promise<void> {
  await tx.run(sql`
    update nodes set attributes = ${attributes && JSON.stringify(attributes)}
     where organization_id = ${organizationId} and type = ${type} and id = ${id}`)
}

/** Matches edges `e` with the node at either end. */
const touches = (type: NodeType, id: string): Sql =>
  sql`((e.from_type = ${type} and e.from_id = ${id}) or (e.to_type = ${type} and e.to_id = ${id}))`

/**
 * Ends all edges of the node; `restoreNode` brings them back. `eventId` is the event of the deletion. The node is marked
 * first: transactions that add an edge hold a share lock on it, so none can add one after its edges have ended.
 */
export async function deleteNode(
  tx: Queryable,
  organizationId: string,
  type: NodeType,
  id: string,
  eventId: string,
): Promise<void> {
  const mark = sql`
    update nodes set deleted_at = clock_timestamp()
     where organization_id = ${organizationId} and type = ${type} and id = ${id} and deleted_at is null`
  await tx.run(countedNodes(-1, organizationId, type, mark))
  const end = sql`
    update edges e set valid_until = clock_timestamp(), ended_by = ${eventId}, ended_with_node = true
     where e.organization_id = ${organizationId} and e.valid_until is null and ${touches(type, id)}`
  await tx.run(counted(-1, end))
}

/**
 * Restores the node and the edges that ended with it, unless their other end is deleted. Only the latest row of a pair
 * counts: an edge that was restored once and removed afterwards stays removed.
 */
export async function restoreNode(
  tx: Queryable,
  organizationId: string,
  type: NodeType,
  id: string,
  eventId: string,
): Promise<void> {
  const unmark = sql`
    update nodes set deleted_at = null
     where organization_id = ${organizationId} and type = ${type} and id = ${id} and deleted_at is not null`
  if ((await tx.run(countedNodes(1, organizationId, type, unmark))) === 0) return
  const last = sql`
    last as (
      select distinct on (e.from_type, e.from_id, e.to_type, e.to_id) e.*
        from edges e
       where e.organization_id = ${organizationId} and ${touches(type, id)}
       order by e.from_type, e.from_id, e.to_type, e.to_id, e.valid_from desc
    ),`
  const insert = sql`
    insert into edges (organization_id, from_type, from_id, to_type, to_id, attributes, granted_by)
    select e.organization_id, e.from_type, e.from_id, e.to_type, e.to_id, e.attributes, ${eventId}::uuid
      from last e
      join nodes other on other.organization_id = ${organizationId} and other.deleted_at is null
       and (other.type, other.id) = (case when e.from_type = ${type} and e.from_id = ${id} then e.to_type else e.from_type end,
                                     case when e.from_type = ${type} and e.from_id = ${id} then e.to_id else e.from_id end)
     where e.valid_until is not null and e.ended_with_node
    on conflict do nothing`
  await tx.run(counted(1, insert, last))
}
