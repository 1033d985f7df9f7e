import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../../platform/http/errors.ts'
import type { ApplicationContext } from '../context.ts'
import { ApplicationOidc, ApplicationOidcWrite } from '../schema.ts'
import { createOidc, getOidc, replaceOidc } from './oidc.ts'

const errors = errorsOf('v2')
const tags = ['applications']
const params = Type.Object({ application_id: Type.String() })
const response = { 200: ApplicationOidc, ...errors }
const WRITE = ['applications', 'applications.update']

/** The OpenID Connect settings of an application. */
export const oidcSettingsRoutes: FastifyPluginAsyncTypebox<{
  context: ApplicationContext
}> = async (app, { context }) => {
  app.get(
    '/applications/:application_id/sso',
    {
      schema: { tags, summary: 'OpenID Connect settings of an application', params, response },
      config: { scopes: ['applications', 'applications.readonly'] },
    },
    ({ caller, params }) => getOidc(context, caller, params.application_id),
  )

  app.post(
    '/applications/:application_id/sso',
    {
      schema: {
        tags,
        summary: 'Create the OpenID Connect settings of an application',
        description: 'The response contains the client secret, which is not shown again.',
        params,
        body: ApplicationOidcWrite,
        response,
      },
      config: { scopes: WRITE },
    },
    ({ caller, params, body }) => createOidc(context, caller, params.application_id, body),
  )

  app.put(
    '/applications/:application_id/sso',
    {
      schema: {
        tags,
        summary: 'Replace the OpenID Connect settings of an application',
        description:
          'The client keeps its id, and its secret unless `oidc.newClientSecret` requests a new one. The response contains a secret only if this request generated it.',
        params,
        body: ApplicationOidcWrite,
        response,
      },
      config: { scopes: WRITE },
    },
    ({ caller, params, body }) => replaceOidc(context, caller, params.application_id, body),
  )
}
