import { dataOf } from '../../api/organization.ts'
import { useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'

export function useSettings() {
  const { id } = useOrganization()
  return useRead(['settings'], async (api) =>
    dataOf(await api.management.GET('/organizations/{id}', { params: { path: { id } } })),
  )
}
