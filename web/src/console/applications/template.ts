import { type Api, dataOf, pageOfV1 } from '../../api/organization.ts'

/** Without the settings, which are most of a template. */
const fields = 'name displayName description keywords isConfigured sso provision'

export const readCatalogue = async (api: Api) =>
  pageOfV1(
    await api.management.GET('/application-templates', {
      params: { query: { limit: 1000, sort: 'displayName', fields } },
    }),
  ).rows

export type CatalogueRow = Awaited<ReturnType<typeof readCatalogue>>[number]

export const readTemplate = (id: string) => async (api: Api) =>
  dataOf(
    await api.management.GET('/application-templates/{id}', { params: { path: { id } } }),
  ) as Required<CatalogueRow>

export type Template = Required<CatalogueRow>
