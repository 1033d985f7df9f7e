import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { invalid, unauthenticated } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { registerFormBody } from '../platform/http/form-body.ts'
import type { AdminContext } from './context.ts'
import { issueToken, TOKEN_SECONDS } from './service-accounts.ts'

/** RFC 6749 §2.3.1: HTTP Basic, or both values in the form. */
function clientOf(
  authorization: string | undefined,
  form: { client_id?: string; client_secret?: string },
): [string, string] {
  if (authorization !== undefined && /^basic /i.test(authorization)) {
    const [id = '', ...rest] = Buffer.from(authorization.slice(6), 'base64').toString().split(':')
    try {
      return [decodeURIComponent(id), decodeURIComponent(rest.join(':'))]
    } catch {
      return [id, rest.join(':')]
    }
  }
  if (form.client_id && form.client_secret) return [form.client_id, form.client_secret]
  throw unauthenticated('invalid_client', 'The client id or secret is missing')
}

/** The token endpoint for service accounts. */
export const oauthRoutes: FastifyPluginAsyncTypebox<{ context: AdminContext }> = async (
  app,
  { context },
) => {
  await registerFormBody(app, context.limits)
  app.post(
    '/oauth2/token',
    {
      schema: {
        body: Type.Object({
          grant_type: Type.String(),
          scope: Type.Optional(Type.String()),
          client_id: Type.Optional(Type.String()),
          client_secret: Type.Optional(Type.String()),
        }),
        response: {
          200: Type.Object({
            access_token: Type.String(),
            token_type: Type.String(),
            expires_in: Type.Integer(),
            scope: Type.String(),
          }),
          ...errorsOf('oauth'),
        },
      },
      config: { public: true },
    },
    async (request, reply) => {
      if (request.body.grant_type !== 'client_credentials') {
        throw invalid('unsupported_grant_type', 'grant_type must be client_credentials')
      }
      const [id, secret] = clientOf(request.headers.authorization, request.body)
      const token = await issueToken(context, id, secret)
      // RFC 6749 §5.1
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
      return { access_token: token, token_type: 'bearer', expires_in: TOKEN_SECONDS, scope: 'api' }
    },
  )
}
