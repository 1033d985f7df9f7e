import { addNode, insertEdge } from '../graph/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { attributesAfter } from './attributes.ts'
import { memberOf } from './records.ts'
import { type GroupRow, insertGroup } from './store.ts'
import { replaceSuggestions } from './suggestion-store.ts'

interface SeededGroup
  extends Pick<GroupRow, 'id' | 'type' | 'name' | 'description'>,
    Partial<Pick<GroupRow, 'membership_method' | 'member_query' | 'attributes'>> {
  members: string[]
  /** Members that the rule of a group under review would add. */
  suggested?: string[]
}

/** A group with members but without events, for the demo world; the seeder chooses the id. */
export async function seedGroup(
  tx: Tx,
  organizationId: string,
  { members, suggested = [], ...group }: SeededGroup,
): Promise<void> {
  const { id, type, name } = group
  const row: GroupRow = {
    email: '',
    membership_method: 'STATIC',
    member_query: null,
    exempt_ids: [],
    error_flags: [],
    suggestions_notify: false,
    ...group,
    attributes: attributesAfter(type, name, null, group.attributes),
  }
  await addNode(tx, organizationId, type, id, row.attributes)
  await insertGroup(tx, organizationId, row)
  for (const member of members) {
    const target = { type: memberOf(type), id: member }
    await insertEdge(tx, organizationId, { type, id }, target, null, null)
  }
  if (suggested.length > 0)
    await replaceSuggestions(tx, organizationId, id, { add: suggested, remove: [] }, null)
}
