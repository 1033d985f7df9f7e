import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../../platform/http/errors.ts'
import { refuseForeign } from '../../platform/http/foreign-origin.ts'
import type { UserContext } from '../context.ts'
import { choosePassword } from './choose-password.ts'

/** For users whose only credential is a mailed link. */
export const userPasswordRoutes: FastifyPluginAsyncTypebox<{ context: UserContext }> = async (
  app,
  { context },
) => {
  app.addHook('onRequest', async (request) => refuseForeign(context.publicUrl, request))
  app.post(
    '/auth/users/password',
    {
      schema: {
        tags: ['sign-in'],
        summary: 'Choose a password with a mailed link',
        body: Type.Object({
          organization: Type.String(),
          token: Type.String({ minLength: 1, maxLength: 256 }),
          password: Type.String({ minLength: 1, maxLength: 1024 }),
        }),
        response: { 200: Type.Object({ status: Type.String() }), ...errorsOf('v2') },
      },
      config: { public: true },
    },
    async ({ ip, headers, id, body }) => {
      const client = { ip, userAgent: headers['user-agent'], requestId: id }
      await choosePassword(context, client, body)
      return { status: 'password_set' }
    },
  )
}
