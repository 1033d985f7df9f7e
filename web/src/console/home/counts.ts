import { type Api, dataOf, pageOfV1 } from '../../api/organization.ts'

// What home counts. Each is one small call of the API.

const one = { limit: 1 }

export const users =
  (filter: string[] = []) =>
  async (api: Api) =>
    pageOfV1(
      await api.management.GET('/systemusers', {
        params: { query: { ...one, ...(filter.length > 0 && { filter }) } },
      }),
    ).total

export const applications = async (api: Api) =>
  pageOfV1(await api.management.GET('/applications', { params: { query: one } })).total

export const devices = async (api: Api) =>
  pageOfV1(await api.management.GET('/systems', { params: { query: one } })).total

export const forwarders = async (api: Api) =>
  dataOf(await api.insights.GET('/v1/forwarders')).totalCount

/** Sign-ins that failed since a day. */
export async function failedSignIns(api: Api): Promise<number> {
  const start = new Date(Date.now() - 86_400_000)
  const { count } = dataOf(
    await api.insights.POST('/v1/events/count', {
      body: {
        service: ['all'],
        start_time: start.toISOString(),
        search_term: {
          and: [{ event_type: ['user_login_attempt', 'sso_auth'] }, { success: false }],
        },
      },
    }),
  )
  return count
}
