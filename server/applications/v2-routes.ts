import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { project } from '../platform/list/page.ts'
import { ListQueryV2, readListV2 } from '../platform/list/query.ts'
import { getApplicationRow } from './actions.ts'
import {
  addNextCertificate,
  listCertificates,
  promoteCertificate,
  removeNextCertificate,
  returnToPrevious,
} from './certificates/certificates.ts'
import type { ApplicationContext } from './context.ts'
import { getSpMetadata, importSpMetadata, stopFollowingMetadata } from './import-metadata.ts'
import { toApplicationV2 } from './records.ts'
import {
  Application,
  ApplicationCertificate,
  ApplicationV2,
  CertificatePost,
  CertificatePromotion,
  LIST_FILTERS,
  SpMetadataImport,
  SpMetadataState,
} from './schema.ts'
import { applicationResourceV2, readApplications } from './store.ts'

const errors = errorsOf('v2')
const tags = ['applications']
const params = Type.Object({ application_id: Type.String() })
const READ = ['applications', 'applications.readonly']
const WRITE = ['applications', 'applications.update']
const Certificates = Type.Array(ApplicationCertificate)

/** Applications, v2. */
export const applicationV2Routes: FastifyPluginAsyncTypebox<{
  context: ApplicationContext
}> = async (app, { context }) => {
  const { db, publicUrl } = context
  const resource = applicationResourceV2(context.listFields)

  app.get(
    '/applications',
    {
      schema: {
        tags,
        summary: 'List applications',
        description: LIST_FILTERS,
        querystring: ListQueryV2,
        response: { 200: Type.Array(Type.Partial(ApplicationV2)), ...errors },
      },
      config: { scopes: READ },
    },
    async ({ caller: { organizationId }, query }, reply) => {
      const list = readListV2(resource, query, context.limits.list)
      const page = await readApplications(db.tenant(organizationId), organizationId, list)
      return reply
        .header('x-total-count', page.totalCount)
        .send(page.results.map((row) => project(toApplicationV2(row, publicUrl), list.fields)))
    },
  )

  app.get(
    '/applications/:application_id',
    {
      schema: {
        tags,
        summary: 'Get an application',
        params,
        response: { 200: ApplicationV2, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'applications_get' } },
    },
    async ({ caller: { organizationId }, params }) => {
      const tenant = db.tenant(organizationId)
      const row = await getApplicationRow(tenant, organizationId, params.application_id)
      return toApplicationV2(row, publicUrl)
    },
  )
}

/** Certificates of an application and their rotation. */
export const certificateRoutes: FastifyPluginAsyncTypebox<{ context: ApplicationContext }> = async (
  app,
  { context },
) => {
  app.get(
    '/applications/:application_id/certificates',
    {
      schema: {
        tags,
        summary: 'List the certificates of an application, and the clients that have fetched each',
        params,
        response: { 200: Certificates, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => listCertificates(context, caller, params.application_id),
  )

  app.post(
    '/applications/:application_id/certificates',
    {
      schema: {
        tags,
        summary:
          'Add the next certificate, generated or your own; published in the metadata at once',
        params,
        body: Type.Union([CertificatePost, Type.Null()]),
        response: { 201: Certificates, ...errors },
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params, body }, reply) =>
      reply
        .code(201)
        .send(await addNextCertificate(context, caller, params.application_id, body ?? {})),
  )

  app.delete(
    '/applications/:application_id/certificates/next',
    {
      schema: {
        tags,
        summary: 'Delete the next certificate before it is promoted',
        params,
        response: { 200: Certificates, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params }) => removeNextCertificate(context, caller, params.application_id),
  )

  app.post(
    '/applications/:application_id/certificates/promote',
    {
      schema: {
        tags,
        summary: 'Promote the next certificate, now or on a date',
        params,
        body: Type.Union([CertificatePromotion, Type.Null()]),
        response: { 200: Certificates, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params, body }) =>
      promoteCertificate(context, caller, params.application_id, body?.at),
  )

  app.post(
    '/applications/:application_id/certificates/return',
    {
      schema: {
        tags,
        summary: 'Roll back to the previous certificate',
        params,
        response: { 200: Certificates, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params }) => returnToPrevious(context, caller, params.application_id),
  )
}

/** Imports the metadata of a service provider as settings of an application. */
export const spMetadataRoutes: FastifyPluginAsyncTypebox<{ context: ApplicationContext }> = async (
  app,
  { context },
) => {
  const { bytes } = context.limits.metadata
  app.addContentTypeParser(
    ['application/samlmetadata+xml', 'application/xml', 'text/xml'],
    { parseAs: 'string', bodyLimit: bytes },
    (_, xml, done) => done(null, { xml }),
  )
  app.post(
    '/applications/:application_id/spmetadata',
    {
      // JSON escaping doubles every line break and quote of a document.
      bodyLimit: 2 * bytes,
      schema: {
        tags,
        summary: 'Import the settings from the metadata of the service provider',
        description:
          'From a URL or from text. Settings of the previous import that this document does not mention fall back to the template. The body may also be the document itself (application/samlmetadata+xml, application/xml or text/xml).',
        params,
        querystring: Type.Object({
          preview: Type.Optional(
            Type.Boolean({ description: 'Return the resulting application without saving it' }),
          ),
          entityId: Type.Optional(Type.String()),
        }),
        body: SpMetadataImport,
        response: { 200: Application, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params, query: { preview = false, entityId = null }, body }) =>
      importSpMetadata(context, caller, params.application_id, { entityId, ...body }, preview),
  )

  app.get(
    '/applications/:application_id/spmetadata',
    {
      schema: {
        tags,
        summary: 'The last import of the metadata of the service provider',
        params,
        response: { 200: SpMetadataState, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => getSpMetadata(context, caller, params.application_id),
  )

  app.delete(
    '/applications/:application_id/spmetadata',
    {
      schema: {
        tags,
        summary: 'Stop following a metadata URL; the settings stay',
        params,
        response: { 200: SpMetadataState, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params }) => stopFollowingMetadata(context, caller, params.application_id),
  )
}
