import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { notFound } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { sessionsOfUser } from './account.ts'
import type { PortalContext } from './context.ts'
import { Session } from './schema.ts'
import { endSessionsOf } from './sign-out.ts'

const errors = errorsOf('v2')
const tags = ['users']
const UserSession = Type.Omit(Session, ['current'], { title: 'UserSession' })

/** Sessions of a user in the portal, for administrators. */
export const userSessionRoutes: FastifyPluginAsyncTypebox<{ context: PortalContext }> = async (
  app,
  { context },
) => {
  app.get(
    '/users/:user_id/sessions',
    {
      schema: {
        tags,
        summary: 'List where a user is signed in to the portal',
        params: Type.Object({ user_id: Type.String() }),
        response: { 200: Type.Array(UserSession), ...errors },
      },
      config: { scopes: ['users', 'users.readonly'] },
    },
    ({ caller: { organizationId }, params: { user_id } }) =>
      sessionsOfUser(context, organizationId, user_id),
  )
  app.delete(
    '/users/:user_id/sessions',
    {
      schema: {
        tags,
        summary: 'Sign a user out everywhere',
        description: 'Applications of the sessions are told, as far as they can be reached.',
        params: Type.Object({ user_id: Type.String() }),
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: ['users'] },
    },
    async ({ caller, params: { user_id } }, reply) => {
      await endSessionsOf(context, caller, user_id)
      return reply.code(204).send(null)
    },
  )
  app.delete(
    '/users/:user_id/sessions/:session_id',
    {
      schema: {
        tags,
        summary: 'End one session of a user',
        params: Type.Object({ user_id: Type.String(), session_id: Type.String() }),
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: ['users'] },
    },
    async ({ caller, params: { user_id, session_id } }, reply) => {
      if ((await endSessionsOf(context, caller, user_id, session_id)) === 0)
        throw notFound('session_not_found', 'session not found')
      return reply.code(204).send(null)
    },
  )
}
