import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { project } from '../platform/list/page.ts'
import { ListQueryV1, readListV1 } from '../platform/list/query.ts'
import {
  createApplication,
  describeApplications,
  getApplication,
  removeApplication,
  replaceApplication,
  restoreApplication,
} from './actions.ts'
import type { ApplicationContext } from './context.ts'
import { Application, ApplicationList, ApplicationWrite, LIST_FILTERS } from './schema.ts'
import { applicationResource, readApplications } from './store.ts'

const errors = errorsOf('v1')
const tags = ['applications']
const params = Type.Object({ id: Type.String() })
const READ = ['applications', 'applications.readonly']

/** Applications, v1. */
export const applicationRoutes: FastifyPluginAsyncTypebox<{ context: ApplicationContext }> = async (
  app,
  { context },
) => {
  const { db } = context
  const resource = applicationResource(context.listFields)

  app.get(
    '/applications',
    {
      schema: {
        tags,
        summary: 'List applications',
        description: LIST_FILTERS,
        querystring: ListQueryV1,
        response: { 200: ApplicationList, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'applications_list' } },
    },
    async ({ caller: { organizationId }, query }) => {
      const list = readListV1(resource, query, context.limits.list)
      const tenant = db.tenant(organizationId)
      const page = await readApplications(tenant, organizationId, list)
      const records = await describeApplications(context, tenant, organizationId, page.results)
      return {
        totalCount: page.totalCount,
        results: records.map((record) => project(record, list.fields)),
      }
    },
  )

  app.post(
    '/applications',
    {
      schema: {
        tags,
        summary: 'Create an application from a template',
        body: ApplicationWrite,
        response: { 200: Application, ...errors },
      },
      config: {
        scopes: ['applications', 'applications.create'],
        operationId: { legacy: 'applications_post' },
      },
    },
    ({ caller, body }) => createApplication(context, caller, body),
  )

  app.get(
    '/applications/:id',
    {
      schema: {
        tags,
        summary: 'Get an application',
        params,
        response: { 200: Application, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'applications_get' } },
    },
    ({ caller, params }) => getApplication(context, caller, params.id),
  )

  app.put(
    '/applications/:id',
    {
      schema: {
        tags,
        summary: 'Replace an application; missing members take their defaults',
        description:
          'The template (`name`) cannot change. Without `config.idpCertificate` a new certificate is generated; to keep the current one, send it back.',
        params,
        body: ApplicationWrite,
        response: { 200: Application, ...errors },
      },
      config: {
        scopes: ['applications', 'applications.update'],
        operationId: { legacy: 'applications_put' },
      },
    },
    ({ caller, params, body }) => replaceApplication(context, caller, params.id, body),
  )

  app.delete(
    '/applications/:id',
    {
      schema: {
        tags,
        summary: 'Delete an application; it can be restored for 30 days',
        params,
        response: { 200: Application, ...errors },
      },
      config: {
        scopes: ['applications', 'applications.delete'],
        operationId: { legacy: 'applications_delete' },
      },
    },
    ({ caller, params }) => removeApplication(context, caller, params.id),
  )

  app.post(
    '/applications/:id/restore',
    {
      schema: {
        tags,
        summary: 'Restore a deleted application with its bindings and certificates',
        params,
        response: { 200: Application, ...errors },
      },
      config: { scopes: ['applications', 'applications.create'] },
    },
    ({ caller, params }) => restoreApplication(context, caller, params.id),
  )
}
