import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import type { Client } from '../platform/caller.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { deviceOf } from '../platform/known-devices.ts'
import type { UserRow } from '../users/index.ts'
import { describeSession } from './account.ts'
import { findVisit, type Visit } from './authenticate.ts'
import type { PortalContext } from './context.ts'
import { admitVisit } from './guard.ts'
import { readLogo } from './logo.ts'
import type { SignInStep } from './next-step.ts'
import { describeLink, passwordRules, replaceExpired, requestReset } from './password-actions.ts'
import {
  Code,
  Destination,
  LinkAnswer,
  LinkRequest,
  OrganizationChoice,
  Password,
  PasswordRules,
  ResetRequest,
  SessionAnswer,
  SignedOut,
  SignInRequest,
  SignOutAnswer,
  Status,
} from './schema.ts'
import { giveCode } from './second-factor.ts'
import { noCookie, type SignedIn, sessionCookie } from './sessions.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'
import { describeDestination } from './tiles.ts'

const errors = errorsOf('v2')
const tags = ['user sign-in']
/** Authenticated by the portal cookie; see `routes.ts`. */
const config = { public: true as const }

export const clientOf = ({ ip, headers, id }: FastifyRequest): Client => ({
  ip,
  userAgent: headers['user-agent'],
  requestId: id,
  device: deviceOf(headers.cookie),
})

/** Sign-in of users in steps: password, code, replacement of an expired password. */
export const signInRoutes: FastifyPluginAsyncTypebox<{ context: PortalContext }> = async (
  app,
  { context },
) => {
  const answer = async (reply: FastifyReply, client: Client, user: UserRow, signedIn: SignedIn) => {
    reply.header('set-cookie', sessionCookie(context, signedIn))
    if (signedIn.session.owed === null)
      reply.header('set-cookie', await context.rules.devices.remember(client, user.id))
    return describeSession(context, user, signedIn)
  }

  app.post(
    '/auth/users/sign-in',
    {
      schema: {
        tags,
        summary: 'Sign in with a password',
        body: SignInRequest,
        response: { 200: Type.Union([SessionAnswer, OrganizationChoice]), ...errors },
      },
      config,
    },
    async (request, reply) => {
      const present = await findVisit(context, request)
      const client = clientOf(request)
      const result = await signIn(context, client, request.body, present)
      if ('organizations' in result) return { status: 'choose_organization' as const, ...result }
      const { user, signedIn } = result
      return answer(reply, client, user, signedIn)
    },
  )
  /** A route that completes one pending step of a session. */
  const step = <S extends TSchema>(
    path: string,
    summary: string,
    owed: SignInStep,
    body: S,
    take: (client: Client, visit: Visit, given: Static<S>) => Promise<SignedIn>,
  ) =>
    app.post(
      `/auth/users/sign-in/${path}`,
      { schema: { tags, summary, body, response: { 200: SessionAnswer, ...errors } }, config },
      async (request, reply) => {
        const visit = await admitVisit(context, request, [owed])
        const given = request.body as Static<S>
        const client = clientOf(request)
        return answer(reply, client, visit.user, await take(client, visit, given))
      },
    )
  step(
    'totp',
    'Submit a code of the second factor, or a recovery code',
    'totp',
    Code,
    (client, visit, { code }) => giveCode(context, client, visit, code),
  )
  step(
    'password',
    'Replace an expired password',
    'password',
    Type.Object({ password: Password }),
    (client, visit, { password }) => replaceExpired(context, client, visit, password),
  )
  app.get(
    '/auth/users/sign-in/destination',
    {
      schema: {
        tags,
        summary: 'Get the application and organization that a path leads to',
        querystring: Type.Object({ continue: Type.String({ maxLength: 8192 }) }),
        response: { 200: Destination, ...errors },
      },
      config,
    },
    ({ query }) => describeDestination(context, query.continue),
  )
  app.get(
    '/auth/users/organizations/:id/logo',
    {
      schema: {
        tags,
        summary: 'Get the logo of an organization',
        params: Type.Object({ id: Type.String() }),
        response: { 200: Type.Unknown({ description: 'The image' }), ...errors },
      },
      config,
    },
    async ({ params }, reply) => {
      const { type, content } = await readLogo(context, params.id)
      return (
        reply
          .type(type)
          // The address changes with the image.
          .header('cache-control', 'public, max-age=31536000, immutable')
          .send(content as never)
      )
    },
  )
  app.post(
    '/auth/users/sign-out',
    {
      schema: { tags, summary: 'Sign out', response: { 200: SignOutAnswer, ...errors } },
      config,
    },
    async (request, reply) => {
      const visit = await admitVisit(context, request, ['totp', 'password', 'enrollment'])
      const continueTo = (await signOut(context, clientOf(request), visit)) ?? null
      reply.header('set-cookie', noCookie(context))
      return { status: 'signed_out', continueTo }
    },
  )
  app.get(
    '/auth/users/session',
    {
      schema: {
        tags,
        summary: 'Get the session, or the progress of the sign-in',
        response: { 200: Type.Union([SessionAnswer, SignedOut]), ...errors },
      },
      config,
    },
    async (request) => {
      const visit = await findVisit(context, request)
      return visit ? describeSession(context, visit.user, visit) : { status: 'signed_out' as const }
    },
  )

  app.post(
    '/auth/users/password/forgot',
    {
      schema: {
        tags,
        summary: 'Request a mail with a link to set a new password',
        body: ResetRequest,
        response: { 200: Status, ...errors },
      },
      config,
    },
    async (request) => {
      await requestReset(context, clientOf(request), request.body)
      return { status: 'mailed_if_known' }
    },
  )
  app.post(
    '/auth/users/password/link',
    {
      schema: {
        tags,
        summary: 'Get the purpose of a mailed link',
        body: LinkRequest,
        response: { 200: LinkAnswer, ...errors },
      },
      config,
    },
    (request) => describeLink(context, request.body),
  )
  app.get(
    '/auth/users/password/rules',
    {
      schema: {
        tags,
        summary: 'Get the rules for a new password',
        response: { 200: PasswordRules, ...errors },
      },
      config,
    },
    async (request) => {
      const { user } = await admitVisit(context, request, ['password'])
      return passwordRules(context, user.organization_id)
    },
  )
}
