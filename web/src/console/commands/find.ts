import { type Api, pageOfV1 } from '../../api/organization.ts'

/** For the palette. */
export async function findCommands(api: Api, search: string) {
  const { rows } = pageOfV1(
    await api.management.GET('/commands', {
      params: { query: { search, limit: 5, fields: 'name description' } },
    }),
  )
  return rows.map(({ id, name = '', description = '' }) => ({ id, name, about: description }))
}
