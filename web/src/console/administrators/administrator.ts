import type { components } from '../../../../client/index.ts'
import { type Api, dataOf } from '../../api/organization.ts'

export type Administrator = components['schemas']['Administrator']

export const administratorKey = (id: string) => ['administrators', id, 'record']

export const readAdministrator = (id: string) => async (api: Api) =>
  dataOf(await api.management.GET('/users/{id}', { params: { path: { id } } }))

export const nameOf = ({ firstname, lastname, email, id }: Administrator): string =>
  [firstname, lastname].filter(Boolean).join(' ') || email || id
