import { changeEdge, type GraphOperation, type NodeType } from '../graph/index.ts'
import type { Caller } from '../platform/caller.ts'
import { invalid } from '../platform/errors.ts'
import { type Page, type Paging, readCountedPage } from '../platform/list/page.ts'
import { exemptIds, groupNotFound } from './actions.ts'
import type { GroupContext } from './context.ts'
import { differenceOf } from './dynamic.ts'
import { readMemberQuery } from './member-query.ts'
import { memberObject, memberOf } from './records.ts'
import type { Preview, PreviewRequest } from './schema.ts'
import { findGroup, type GroupType, holdGroup } from './store.ts'
import { readSuggestions, replaceSuggestions, takeSuggestions } from './suggestion-store.ts'

/** In an automated group the rule decides; only exempt members can be changed manually. */
export function changeMember(
  context: GroupContext,
  caller: Caller,
  type: GroupType,
  groupId: string,
  { op, type: memberType, id, attributes }: GraphOperation,
): Promise<void> {
  const { organizationId } = caller
  return context.db.tx(organizationId, async (tx) => {
    const group = await holdGroup(tx, organizationId, type, groupId)
    // 400, not 404: clients of the published API expect it.
    if (!group) throw invalid('group_not_found', `${type} not found`)
    if (group.membership_method === 'DYNAMIC_AUTOMATED' && !group.exempt_ids.includes(id)) return
    await changeEdge(context, tx, caller, {
      source: { type, id: groupId },
      target: { type: memberType as NodeType, id },
      op,
      attributes,
    })
    if (group.membership_method === 'DYNAMIC_REVIEW_REQUIRED') {
      // No mail: a manual change overrides the rule on purpose.
      const difference = await differenceOf(context, tx, organizationId, group, [id])
      await replaceSuggestions(tx, organizationId, groupId, difference, [id])
    }
  })
}

export async function listSuggestions(
  { db }: GroupContext,
  { organizationId }: Caller,
  type: GroupType,
  groupId: string,
  paging: Paging,
) {
  const tenant = db.tenant(organizationId)
  if (!(await findGroup(tenant, organizationId, type, groupId))) throw groupNotFound(type)
  const page = await readCountedPage(
    (limit, skip) => readSuggestions(tenant, organizationId, groupId, limit, skip),
    paging,
  )
  return {
    totalCount: page.totalCount,
    results: page.results.map(({ op, member_id }) => ({
      op,
      object: memberObject(type, member_id),
    })),
  } satisfies Page<unknown>
}

/** Applies the suggestions about these members; others stay pending. */
export function applySuggestions(
  context: GroupContext,
  caller: Caller,
  type: GroupType,
  groupId: string,
  ids: string[],
): Promise<void> {
  const { organizationId } = caller
  return context.db.tx(organizationId, async (tx) => {
    if (!(await holdGroup(tx, organizationId, type, groupId))) throw groupNotFound(type)
    for (const { op, member_id } of await takeSuggestions(tx, organizationId, groupId, ids)) {
      const target = { type: memberOf(type), id: member_id }
      const source = { type, id: groupId }
      await changeEdge(context, tx, caller, { source, target, op })
    }
  })
}

const SHOWN = 100

/** Dry run: who matches a rule, and the members that it would add or remove. Without a group, the members of a new one. */
export async function previewMembers(
  context: GroupContext,
  { organizationId }: Caller,
  type: GroupType,
  groupId: string | null,
  body: PreviewRequest,
  newerQuery: boolean,
): Promise<Preview> {
  const tenant = context.db.tenant(organizationId)
  const stored = groupId && (await findGroup(tenant, organizationId, type, groupId))
  if (groupId !== null && !stored) throw groupNotFound(type)
  const { memberQuery, memberQueryExemptions } = body
  if (memberQuery) readMemberQuery(memberOf(type), memberQuery, newerQuery, context.limits.list)
  const query = memberQuery ?? (stored ? stored.member_query : null)
  if (!query) throw invalid('member_query_missing', 'memberQuery: is required')
  const group = {
    // An id that no group has, so there are no current members.
    id: groupId ?? '0'.repeat(24),
    type,
    member_query: query,
    exempt_ids: memberQueryExemptions
      ? exemptIds(type, memberQueryExemptions)
      : stored
        ? stored.exempt_ids
        : [],
  }
  const { matching, add, remove } = await differenceOf(
    context,
    tenant.listing,
    organizationId,
    group,
  )
  const part = (ids: string[]) => ({
    total: ids.length,
    objects: ids
      .sort()
      .slice(0, SHOWN)
      .map((id) => memberObject(type, id)),
  })
  return { matching: part(matching), add: part(add), remove: part(remove) }
}
