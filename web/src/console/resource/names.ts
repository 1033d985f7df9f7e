import { type Api, pageOfV1, pageOfV2 } from '../../api/organization.ts'
import { useRead } from '../reads.ts'
import { nameOf } from '../users/name.ts'

// Names of objects that the API's graph returns by id and type.

type Load = (api: Api, ids: string[]) => Promise<[string, string][]>

const limit = 100

const groups: Load = async (api, ids) =>
  pageOfV2(
    await api.management.GET('/v2/groups', {
      params: { query: { limit, fields: ['id', 'name'], filter: [`id:in:${ids.join('|')}`] } },
    }),
  ).rows.map(({ id = '', name = '' }) => [id, name])

const LOADERS: Record<string, Load> = {
  user_group: groups,
  system_group: groups,
  application: async (api, ids) =>
    pageOfV2(
      await api.management.GET('/v2/applications', {
        params: { query: { limit, filter: [`id:in:${ids.join('|')}`] } },
      }),
    ).rows.map(({ id = '', displayLabel, displayName }) => [id, displayLabel || displayName || id]),
  user: async (api, ids) =>
    pageOfV1(
      await api.management.POST('/search/systemusers', {
        body: { filter: { id: ids }, limit, fields: 'username firstname lastname displayname' },
      }),
    ).rows.map((user) => [user.id, nameOf(user)]),
  system: async (api, ids) =>
    pageOfV1(
      await api.management.POST('/search/systems', {
        body: { filter: { id: ids }, limit, fields: 'displayName hostname' },
      }),
    ).rows.map(({ id = '', displayName, hostname }) => [id, displayName || hostname || id]),
  command: async (api, ids) =>
    pageOfV1(
      await api.management.POST('/search/commands', {
        body: { filter: { id: ids }, limit, fields: 'name' },
      }),
    ).rows.map(({ id, name }) => [id, name || id]),
}

/** At most a hundred at once; an object that is not found keeps its id. */
export function useNames(type: string, ids: string[]): (id: string) => string {
  const load = LOADERS[type]
  const sorted = [...ids].sort()
  const { data, isPlaceholderData } = useRead(
    ['names', type, sorted],
    async (api) => new Map(load && sorted.length > 0 ? await load(api, sorted) : []),
    { placeholderData: (previous) => previous },
  )
  return (id) => data?.get(id) ?? (data && !isPlaceholderData ? id : '…')
}

const PATHS: Record<string, string> = {
  user: 'users',
  user_group: 'groups',
  system_group: 'device-groups',
  application: 'applications',
  system: 'devices',
  command: 'commands',
  administrator: 'administrators',
}

/** The area that shows objects of a type, if there is one. */
export const pathOf = (type: string): string | undefined => PATHS[type]
