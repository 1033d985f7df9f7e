import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { notFound } from '../../platform/errors.ts'
import { errorsOf } from '../../platform/http/errors.ts'
import { project } from '../../platform/list/page.ts'
import { ListQueryV1, readListV1 } from '../../platform/list/query.ts'
import { readFields } from '../../platform/list/values.ts'
import { TEMPLATES } from '../catalogue.ts'
import type { ApplicationContext } from '../context.ts'
import { toTemplate } from '../records.ts'
import { ApplicationTemplate, ApplicationTemplateList } from '../schema.ts'
import { usedTemplates } from '../store.ts'
import { readTemplateNames, templateResource } from './store.ts'

const errors = errorsOf('v1')
const tags = ['application templates']
const all = [...TEMPLATES.values()]
const scopes = ['applicationtemplates', 'applicationtemplates.readonly']

/** The catalogue of templates, v1; the same for every organization. */
export const templateRoutes: FastifyPluginAsyncTypebox<{ context: ApplicationContext }> = async (
  app,
  { context: { db, limits, publicUrl } },
) => {
  const usedBy = (organizationId: string) =>
    usedTemplates(db.tenant(organizationId), organizationId)

  app.get(
    '/application-templates',
    {
      schema: {
        tags,
        summary: 'List application templates',
        querystring: ListQueryV1,
        response: { 200: ApplicationTemplateList, ...errors },
      },
      config: { scopes, operationId: { legacy: 'application_templates_list' } },
    },
    async ({ caller: { organizationId }, query }) => {
      const list = readListV1(templateResource, query, limits.list)
      const [page, used] = await Promise.all([readTemplateNames(db, list), usedBy(organizationId)])
      return {
        totalCount: page.totalCount,
        results: page.results.map(({ name }) =>
          project(toTemplate(TEMPLATES.get(name)!, used.has(name), publicUrl), list.fields),
        ),
      }
    },
  )

  app.get(
    '/application-templates/:id',
    {
      schema: {
        tags,
        summary: 'Get an application template by its id or name',
        params: Type.Object({ id: Type.String() }),
        querystring: ListQueryV1,
        response: { 200: Type.Partial(ApplicationTemplate), ...errors },
      },
      config: { scopes, operationId: { legacy: 'application_templates_get' } },
    },
    async ({ caller: { organizationId }, params: { id }, query }) => {
      const fields = readFields(query.fields, limits.list)
      const found = TEMPLATES.get(id) ?? all.find((template) => template.id === id)
      if (!found)
        throw notFound('template_not_found', 'Not Found: there is no such application template')
      const used = await usedBy(organizationId)
      return project(toTemplate(found, used.has(found.name), publicUrl), fields)
    },
  )
}
