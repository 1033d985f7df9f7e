import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { findSsoApplicationById, isSignedInTo } from '../applications/index.ts'
import { notFound } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { type AttemptRow, readAttempts } from '../signon/index.ts'
import type { SsoSliceContext } from './context.ts'
import { metadataOf } from './metadata.ts'
import { SsoAttempt } from './schema.ts'

const tags = ['applications']
const READ = ['applications', 'applications.readonly']

const unknown = () => notFound('application_not_found', 'application not found')

const toAttempt = (row: AttemptRow): SsoAttempt => ({
  id: row.id,
  timestamp: row.at,
  kind: row.kind,
  success: row.reason === null,
  idpInitiated: row.idp_initiated,
  reason: row.reason,
  explanation: row.explanation,
  user: row.user_id === null ? null : { id: row.user_id, username: row.username ?? '' },
  clientIp: row.client_ip,
  request: row.request,
  response: row.response,
})

/** For administrators. */
export const ssoManagementRoutes: FastifyPluginAsyncTypebox<{ context: SsoSliceContext }> = async (
  app,
  { context },
) => {
  const find = async (organizationId: string, id: string) => {
    const application = await findSsoApplicationById(context, organizationId, id)
    if (!application) throw unknown()
    return application
  }

  app.get(
    '/v2/applications/:application_id/sso/attempts',
    {
      schema: {
        tags,
        summary: 'The last 50 sign-ins and refused logouts of an application, newest first',
        params: Type.Object({ application_id: Type.String() }),
        response: { 200: Type.Array(SsoAttempt), ...errorsOf('v2') },
      },
      config: { scopes: READ },
    },
    async ({ caller: { organizationId }, params: { application_id: id } }) => {
      const tenant = context.db.tenant(organizationId)
      if (!(await isSignedInTo(tenant, organizationId, id))) throw unknown()
      const rows = await readAttempts(tenant, organizationId, id)
      return rows.map(toAttempt)
    },
  )

  app.get(
    '/organizations/:id/applications/:application_id/metadata.xml',
    {
      schema: {
        tags,
        summary: 'SAML metadata of the identity provider for an application',
        params: Type.Object({ id: Type.String(), application_id: Type.String() }),
        response: {
          200: {
            description: 'The metadata',
            content: { 'application/samlmetadata+xml': { schema: Type.String() } },
          },
          ...errorsOf('v1'),
        },
      },
      config: { scopes: READ, tenant: 'path' },
    },
    async ({ caller: { organizationId }, params }, reply) => {
      const application = await find(organizationId, params.application_id)
      return reply
        .type('application/samlmetadata+xml; charset=utf-8')
        .header('content-disposition', `attachment; filename="${application.slug}-metadata.xml"`)
        .send(Buffer.from(metadataOf(context, application).xml) as never)
    },
  )
}
