import { type Api, dataOf } from '../../api/organization.ts'
import { at, type Kind } from './kind.ts'
import { headersFor, type MemberQuery } from './rule.ts'

export type Group = Awaited<ReturnType<ReturnType<typeof readGroup>>>
export type Method = Group['membershipMethod']

export const METHODS: Record<Method, string> = {
  NOTSET: 'Static',
  STATIC: 'Static',
  DYNAMIC_AUTOMATED: 'By rule',
  DYNAMIC_REVIEW_REQUIRED: 'By rule, reviewed',
}

export const isDynamic = ({ membershipMethod }: Pick<Group, 'membershipMethod'>): boolean =>
  membershipMethod.startsWith('DYNAMIC')

export const groupKey = (kind: Kind, id: string) => [kind.path, id, 'record']

export const readGroup = (kind: Kind, id: string) => async (api: Api) =>
  dataOf(await api.management.GET(at(kind, '/{id}'), { params: { path: { id } } }))

interface GroupChanges {
  name?: string
  description?: string
  email?: string
  attributes?: Group['attributes']
  membershipMethod?: Method
  memberQuery?: MemberQuery | null
  memberSuggestionsNotify?: boolean
  /** Ids of members that the rule leaves alone. */
  exempt?: string[]
}

/** The API replaces the group, so what does not change is sent back. */
export function replaceGroup(
  api: Api,
  kind: Kind,
  group: Group,
  { exempt = group.memberQueryExemptions.map(({ id }) => id), ...changes }: GroupChanges,
) {
  const body = {
    name: group.name,
    description: group.description,
    email: group.email,
    attributes: group.attributes,
    membershipMethod: group.membershipMethod,
    memberSuggestionsNotify: group.memberSuggestionsNotify,
    memberQuery: group.memberQuery ?? null,
    ...changes,
    memberQueryExemptions: exempt.map((id) => ({ id, type: kind.member.type })),
  }
  return api.management.PUT(at(kind, '/{id}'), {
    params: { path: { id: group.id }, ...headersFor(body.memberQuery) },
    body,
  })
}
