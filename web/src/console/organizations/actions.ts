import type { Api } from '../../api/organization.ts'
import { useChange } from '../changes.ts'
import { useOrganization } from '../organization.ts'
import { queries, sessionQuery } from '../session.ts'

/** The session knows which organizations can be entered. */
const refreshSession = () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey })

const touches = [['provider'], ['organizations'], ['organization']]

interface Named {
  id: string
  name: string
}

export interface Values {
  name: string
  maxSystemUsers?: number
}

/** What can be done to the organizations of the provider. */
export function useOrganizationActions() {
  const provider_id = useOrganization().session.providerId ?? ''
  const at = (id: string) => ({ path: { provider_id, id } })
  const add = useChange({
    run: async (api, body: Values) => {
      await api.management.POST('/v2/providers/{provider_id}/organizations', {
        params: { path: { provider_id } },
        body: { ...body },
      })
      await refreshSession()
    },
    touches,
    done: ({ name }) => `Added ${name}`,
    quiet: true,
  })
  const change = useChange({
    run: (api, { id, values }: { id: string; values: Values }) =>
      api.management.PUT('/v2/providers/{provider_id}/organizations/{id}', {
        params: at(id),
        body: { ...values },
      }),
    touches,
    done: ({ values }) => `Saved ${values.name}`,
    quiet: true,
  })
  const bringBack = async (api: Api, { id }: Named) => {
    await api.management.POST('/v2/providers/{provider_id}/organizations/{id}/restore', {
      params: at(id),
    })
    await refreshSession()
  }
  const restore = useChange({
    run: bringBack,
    touches,
    done: ({ name }) => `Restored ${name}`,
  })
  const remove = useChange({
    run: async (api, { id, name }: Named) => {
      await api.management.DELETE('/v2/providers/{provider_id}/organizations/{id}', {
        params: { ...at(id), query: { name } },
      })
      await refreshSession()
    },
    touches,
    done: ({ name }) => `Deleted ${name}`,
    undo: bringBack,
  })
  return { add, change, remove, restore }
}
