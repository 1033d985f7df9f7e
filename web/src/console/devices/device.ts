import type { components } from '../../../../client/index.ts'
import { type Api, dataOf } from '../../api/organization.ts'

export type Device = components['schemas']['System']

export const deviceKey = (id: string) => ['devices', id, 'record']

export const readDevice = (id: string) => async (api: Api) =>
  dataOf(await api.management.GET('/systems/{id}', { params: { path: { id } } }))

export const nameOf = ({ displayName, hostname, id }: Device): string =>
  displayName || hostname || id

export const systemOf = ({ os, version }: Device): string => [os, version].join(' ').trim()
