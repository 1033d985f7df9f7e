import { type Api, pageOfV2 } from '../../api/organization.ts'

/** For a picker. */
const finder =
  (root: '/v2/usergroups' | '/v2/systemgroups', filter: string[]) =>
  async (api: Api, search: string) => {
    const { rows } = pageOfV2(
      await api.management.GET(root, { params: { query: { search, limit: 5, filter } } }),
    )
    return rows.map(({ id = '', name = '', description = '' }) => ({
      id,
      name,
      about: description,
    }))
  }

/** Members cannot be added where a rule alone decides. */
const BY_HAND = ['membershipMethod:ne:DYNAMIC_AUTOMATED']

/** Said where only those are offered: else a known name seems not to exist. */
export const BY_HAND_ONLY = 'Without groups whose members a rule decides'

export const findGroups = finder('/v2/usergroups', [])
export const findDeviceGroups = finder('/v2/systemgroups', [])
export const findGroupsToJoin = finder('/v2/usergroups', BY_HAND)
export const findDeviceGroupsToJoin = finder('/v2/systemgroups', BY_HAND)
