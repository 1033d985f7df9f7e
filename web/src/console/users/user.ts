import type { components } from '../../../../client/index.ts'
import { type Api, dataOf } from '../../api/organization.ts'

export type User = components['schemas']['User']
export type State = NonNullable<User['state']>

export const STATES: Record<State, string> = {
  STAGED: 'Staged',
  ACTIVATED: 'Active',
  SUSPENDED: 'Suspended',
}

export const userKey = (id: string) => ['users', id, 'record']

export const readUser = (id: string) => async (api: Api) =>
  dataOf(await api.management.GET('/systemusers/{id}', { params: { path: { id } } }))
