import type { MemberType } from './member-store.ts'
import type { GroupDetail } from './schema.ts'
import type { GroupRow, GroupType } from './store.ts'

export const memberOf = (type: GroupType): MemberType => (type === 'user_group' ? 'user' : 'system')

/** The list entry. */
export const toGroup = ({ id, name, type, description, email, attributes }: GroupRow) => ({
  id,
  name,
  type,
  description,
  email,
  attributes,
})

export const memberObject = (type: GroupType, id: string) => ({
  id,
  type: memberOf(type),
  attributes: null,
})

export function toGroupDetail(
  row: GroupRow,
  organizationId: string,
  counts: { add: number; remove: number; total: number },
): GroupDetail {
  return {
    ...toGroup(row),
    membershipMethod: row.membership_method,
    ...(row.member_query && { memberQuery: row.member_query }),
    memberQueryExemptions: row.exempt_ids.map((id) => ({
      ...memberObject(row.type, id),
      organizationId,
    })),
    memberQueryErrorFlags: row.error_flags,
    memberSuggestionsNotify: row.suggestions_notify,
    organizationObjectId: organizationId,
    ...(row.type === 'user_group' && { suggestionCounts: counts }),
  }
}

/** The fields recorded in events. */
export const auditFields = (row: GroupRow) => ({
  name: row.name,
  description: row.description,
  email: row.email,
  attributes: row.attributes,
  membershipMethod: row.membership_method,
  memberQuery: row.member_query,
  memberQueryExemptions: row.exempt_ids,
  memberSuggestionsNotify: row.suggestions_notify,
})
