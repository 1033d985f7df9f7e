import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { notFound } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { userActor } from '../users/index.ts'
import { describeProfile, describeSecurity, describeSession, sessionsOf } from './account.ts'
import type { PortalContext } from './context.ts'
import { admitVisit } from './guard.ts'
import { changePassword } from './password-actions.ts'
import {
  ApplicationTile,
  Password,
  Profile,
  Security,
  Session,
  SessionAnswer,
  Status,
  TileUse,
} from './schema.ts'
import { sessionCookie } from './sessions.ts'
import { clientOf } from './sign-in-routes.ts'
import { endSession, signOutElsewhere } from './sign-out.ts'
import { noteUse, tilesOf } from './tiles.ts'

const errors = errorsOf('v2')
const tags = ['user portal']
/** Authenticated by the portal cookie; see `routes.ts`. */
const config = { public: true as const }

/** Self-service of a signed-in user. */
export const accountRoutes: FastifyPluginAsyncTypebox<{
  context: PortalContext
}> = async (app, { context }) => {
  app.get(
    '/auth/users/applications',
    {
      schema: {
        tags,
        summary: "List the user's applications",
        response: { 200: Type.Array(ApplicationTile), ...errors },
      },
      config,
    },
    async (request) => tilesOf(context, (await admitVisit(context, request)).user),
  )
  app.put(
    '/auth/users/applications/:id',
    {
      schema: {
        tags,
        summary: 'Mark an application as a favourite, or as opened now',
        params: Type.Object({ id: Type.String() }),
        body: TileUse,
        response: { 200: Status, ...errors },
      },
      config,
    },
    async (request) => {
      const { user } = await admitVisit(context, request)
      await noteUse(context, user, request.params.id, request.body)
      return { status: 'saved' }
    },
  )
  app.get(
    '/auth/users/profile',
    {
      schema: { tags, summary: "Get the user's profile", response: { 200: Profile, ...errors } },
      config,
    },
    async (request) => describeProfile(context, (await admitVisit(context, request)).user),
  )
  app.get(
    '/auth/users/security',
    {
      schema: {
        tags,
        summary: "Get the user's password and second factor status",
        response: { 200: Security, ...errors },
      },
      config,
    },
    async (request) => describeSecurity(context, (await admitVisit(context, request)).user),
  )
  app.post(
    '/auth/users/password/change',
    {
      schema: {
        tags,
        summary: 'Change the password; other sessions end',
        body: Type.Object({ currentPassword: Password, password: Password }),
        response: { 200: SessionAnswer, ...errors },
      },
      config,
    },
    async (request, reply) => {
      const visit = await admitVisit(context, request)
      const { currentPassword, password } = request.body
      const client = clientOf(request)
      const signedIn = await changePassword(context, client, visit, currentPassword, password)
      reply.header('set-cookie', sessionCookie(context, signedIn))
      return describeSession(context, visit.user, signedIn)
    },
  )
  app.get(
    '/auth/users/sessions',
    {
      schema: {
        tags,
        summary: "List the user's sessions",
        response: { 200: Type.Array(Session), ...errors },
      },
      config,
    },
    async (request) => sessionsOf(context, await admitVisit(context, request)),
  )
  app.delete(
    '/auth/users/sessions',
    {
      schema: {
        tags,
        summary: 'End all other sessions',
        response: { 200: Status, ...errors },
      },
      config,
    },
    async (request) => {
      await signOutElsewhere(context, clientOf(request), await admitVisit(context, request))
      return { status: 'ended' }
    },
  )
  app.delete(
    '/auth/users/sessions/:id',
    {
      schema: {
        tags,
        summary: 'End a session',
        params: Type.Object({ id: Type.String() }),
        response: { 200: Status, ...errors },
      },
      config,
    },
    async (request) => {
      const { user, session } = await admitVisit(context, request)
      const actor = { ...userActor(user, clientOf(request)), sessionId: session.id }
      const chosen = {
        id: request.params.id,
        userId: user.id,
        organizationId: user.organization_id,
      }
      if (!(await endSession(context, actor, chosen)))
        throw notFound('session_not_found', 'session not found')
      return { status: 'ended' }
    },
  )
}
