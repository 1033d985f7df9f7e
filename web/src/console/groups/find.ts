import { type Api, pageOfV2 } from '../../api/organization.ts'

/** For a picker. */
export async function findGroups(api: Api, search: string) {
  const { rows } = pageOfV2(
    await api.management.GET('/v2/usergroups', { params: { query: { search, limit: 5 } } }),
  )
  return rows.map(({ id = '', name = '', description = '' }) => ({ id, name, about: description }))
}
