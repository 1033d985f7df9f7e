import { type Api, pageOfV1 } from '../../api/organization.ts'
import { nameOf } from './name.ts'

/** For a picker. */
export async function findUsers(api: Api, search: string) {
  const { rows } = pageOfV1(
    await api.management.GET('/systemusers', { params: { query: { search, limit: 5 } } }),
  )
  return rows.map((user) => ({ id: user.id, name: nameOf(user), about: user.email ?? '' }))
}
