import { AREAS } from '../areas.ts'
import { useMay, useOrganization } from '../organization.ts'

/** Areas that the role may read; the server decides anyway. */
export function useAreas() {
  const may = useMay()
  const { session } = useOrganization()
  return AREAS.filter(
    ({ scope, provider, runs }) =>
      (may.read(scope) || (runs && may.run)) && (!provider || session.providerId !== null),
  )
}
