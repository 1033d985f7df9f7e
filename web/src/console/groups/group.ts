import { type Api, dataOf } from '../../api/organization.ts'

export type Group = Awaited<ReturnType<ReturnType<typeof readGroup>>>

export const METHODS: Record<Group['membershipMethod'], string> = {
  NOTSET: 'Static',
  STATIC: 'Static',
  DYNAMIC_AUTOMATED: 'By rule',
  DYNAMIC_REVIEW_REQUIRED: 'By rule, reviewed',
}

export const groupKey = (id: string) => ['groups', id, 'record']

export const readGroup = (id: string) => async (api: Api) =>
  dataOf(await api.management.GET('/v2/usergroups/{id}', { params: { path: { id } } }))
