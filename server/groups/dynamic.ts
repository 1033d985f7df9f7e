import { changeEdge, type GraphActor, groupsOf, membersOf } from '../graph/index.ts'
import type { Queryable, Tx } from '../platform/db/index.ts'
import type { Sql } from '../platform/db/sql.ts'
import { AppError } from '../platform/errors.ts'
import type { GroupContext } from './context.ts'
import { readMemberQuery } from './member-query.ts'
import { conditionsOf, type MemberType, matchingMembers } from './member-store.ts'
import { memberOf } from './records.ts'
import { ruleSql } from './rule-sql.ts'
import type { MemberQuery } from './schema.ts'
import { dynamicGroups, type GroupRow, type GroupType, holdGroup, lockGroup } from './store.ts'
import { announceSuggestions } from './suggestion-mails.ts'
import { replaceSuggestions } from './suggestion-store.ts'

/** All who match the rule, and the members that applying it would add and remove. */
interface Difference {
  matching: string[]
  add: string[]
  remove: string[]
}

type Ruled = Pick<GroupRow, 'id' | 'type' | 'exempt_ids'> & { member_query: MemberQuery | null }

/** The stored rule as a SQL condition; its form was validated when it was written. */
export function conditionOf(
  { resources, limits: { list } }: GroupContext,
  type: GroupType,
  query: MemberQuery,
): Sql {
  const member = memberOf(type)
  const newer = query.queryType === undefined
  return ruleSql(resources[member], readMemberQuery(member, query, newer, list), list)
}

/** Exempt members are skipped. `only` limits the comparison to some members; null means all. */
export async function differenceOf(
  context: GroupContext,
  db: Queryable,
  organizationId: string,
  group: Ruled,
  only: string[] | null = null,
): Promise<Difference> {
  if (!group.member_query) return { matching: [], add: [], remove: [] }
  const condition = conditionOf(context, group.type, group.member_query)
  const type = memberOf(group.type)
  const wanted = new Set(await matchingMembers(db, organizationId, type, condition, only))
  const members = new Set(await membersOf(db, organizationId, group, only))
  const exempt = new Set(group.exempt_ids)
  return {
    matching: [...wanted],
    add: [...wanted].filter((id) => !members.has(id) && !exempt.has(id)),
    remove: [...members].filter((id) => !wanted.has(id) && !exempt.has(id)),
  }
}

/** A concurrent request may have made the same change. */
const ALREADY = new Set(['edge_exists', 'edge_not_found', 'node_not_found'])

async function follow(
  context: GroupContext,
  tx: Tx,
  actor: GraphActor,
  group: Pick<GroupRow, 'id' | 'type'>,
  op: 'add' | 'remove',
  id: string,
): Promise<void> {
  try {
    await changeEdge(context, tx, actor, {
      source: { type: group.type, id: group.id },
      target: { type: memberOf(group.type), id },
      op,
      actionSource: 'automatic',
    })
  } catch (error) {
    if (!(error instanceof AppError && ALREADY.has(error.reason))) throw error
  }
}

/** Members changed per transaction, to bound how long the group stays locked. */
const BATCH = 500

/** Applies the rule to the members, or to the suggestions under review. True when more batches remain. */
export function evaluateGroup(
  context: GroupContext,
  actor: GraphActor,
  type: GroupType,
  id: string,
): Promise<boolean> {
  const { organizationId } = actor
  return context.db.tx(organizationId, async (tx) => {
    const group = await lockGroup(tx, organizationId, type, id)
    if (!group) return false
    const dynamic = group.membership_method.startsWith('DYNAMIC')
    const difference = dynamic
      ? await differenceOf(context, tx, organizationId, group)
      : { add: [], remove: [] }
    if (group.membership_method !== 'DYNAMIC_AUTOMATED') {
      if (await replaceSuggestions(tx, organizationId, id, difference, null))
        await announceSuggestions(context, tx, organizationId, group, new Date())
      return false
    }
    await replaceSuggestions(tx, organizationId, id, { add: [], remove: [] }, null)
    const changes = [
      ...difference.remove.map((member) => ['remove', member] as const),
      ...difference.add.map((member) => ['add', member] as const),
    ]
    for (const [op, member] of changes.slice(0, BATCH))
      await follow(context, tx, actor, group, op, member)
    return changes.length > BATCH
  })
}

/**
 * Evaluates the rules of all dynamic groups for members, in the transaction that creates, changes or restores them, so
 * that memberships commit with the change.
 */
export async function membersChanged(
  context: GroupContext,
  tx: Tx,
  actor: GraphActor,
  type: MemberType,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const groupType = type === 'user' ? 'user_group' : 'system_group'
  const groups = await dynamicGroups(tx, actor.organizationId, groupType)
  if (groups.length === 0) return
  const conditions = groups.map((group) => conditionOf(context, groupType, group.member_query!))
  for (const id of ids) await memberChanged(context, tx, actor, { type, id }, groups, conditions)
}

async function memberChanged(
  context: GroupContext,
  tx: Tx,
  actor: GraphActor,
  { type, id }: { type: MemberType; id: string },
  groups: readonly GroupRow[],
  conditions: Sql[],
): Promise<void> {
  const { organizationId } = actor
  const held = await conditionsOf(tx, organizationId, type, id, conditions)
  const memberships = new Set(await groupsOf(tx, organizationId, { type, id }))
  for (const [at, group] of groups.entries()) {
    if (group.exempt_ids.includes(id)) continue
    const wanted = held[at] === true
    const differs = wanted !== memberships.has(group.id)
    const op = wanted ? 'add' : 'remove'
    if (group.membership_method === 'DYNAMIC_REVIEW_REQUIRED') {
      const suggestions = { add: [] as string[], remove: [] as string[] }
      if (differs) suggestions[op].push(id)
      if (await replaceSuggestions(tx, organizationId, group.id, suggestions, [id]))
        await announceSuggestions(context, tx, organizationId, group, new Date())
    } else if (differs && (await holdGroup(tx, organizationId, group.type, group.id))) {
      await follow(context, tx, actor, group, op, id)
    }
  }
}
