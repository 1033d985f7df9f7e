import { type Api, dataOf, pageOfV1 } from '../../api/organization.ts'

// What home counts. Each is one small call of the API.

const one = { limit: 1 }

export const users = async (api: Api) =>
  pageOfV1(await api.management.GET('/systemusers', { params: { query: one } })).total

export const applications = async (api: Api) =>
  pageOfV1(await api.management.GET('/applications', { params: { query: one } })).total

export const devices = async (api: Api) =>
  pageOfV1(await api.management.GET('/systems', { params: { query: one } })).total

export const forwarders = async (api: Api) =>
  dataOf(await api.insights.GET('/v1/forwarders')).totalCount
