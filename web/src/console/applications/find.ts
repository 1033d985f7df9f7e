import { type Api, pageOfV1 } from '../../api/organization.ts'
import { nameOf, TYPES } from './application.ts'

/** For the palette. */
export async function findApplications(api: Api, search: string) {
  const { rows } = pageOfV1(
    await api.management.GET('/applications', {
      params: { query: { search, limit: 5, fields: 'id name displayLabel displayName sso' } },
    }),
  )
  return rows.map((row) => ({
    id: row.id ?? '',
    name: nameOf(row),
    about: TYPES[row.sso?.type ?? ''] ?? '',
  }))
}
