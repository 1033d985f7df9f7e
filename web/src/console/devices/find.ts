import { type Api, pageOfV1 } from '../../api/organization.ts'
import { nameOf, systemOf } from './device.ts'

/** For the palette. */
export async function findDevices(api: Api, search: string) {
  const { rows } = pageOfV1(
    await api.management.GET('/systems', { params: { query: { search, limit: 5 } } }),
  )
  return rows.map((device) => ({ id: device.id, name: nameOf(device), about: systemOf(device) }))
}
