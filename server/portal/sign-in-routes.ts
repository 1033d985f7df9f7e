import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import type { UserRow } from '../users/index.ts'
import { describeSession } from './account.ts'
import { findVisit } from './authenticate.ts'
import type { PortalContext } from './context.ts'
import { admitVisit } from './guard.ts'
import { describeLink, passwordRules, replaceExpired, requestReset } from './password-actions.ts'
import {
  Code,
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
  TotpEnrollment,
} from './schema.ts'
import { finishEnrollment, giveCode, startEnrollment } from './second-factor.ts'
import { noCookie, type SignedIn, sessionCookie } from './sessions.ts'
import { signIn, signOut } from './sign-in.ts'

const errors = errorsOf('v2')
const tags = ['user sign-in']
/** By the rules of `routes.ts`. */
const config = { public: true as const }

export const clientOf = ({ ip, headers, id }: FastifyRequest) => ({
  ip,
  userAgent: headers['user-agent'],
  requestId: id,
})

/** Sign-in of users, step by step: password, code, a new password for an expired one, a second factor. */
export const signInRoutes: FastifyPluginAsyncTypebox<{ context: PortalContext }> = async (
  app,
  { context },
) => {
  const answer = (reply: FastifyReply, user: UserRow, signedIn: SignedIn) => {
    reply.header('set-cookie', sessionCookie(context, signedIn))
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
      const result = await signIn(context, clientOf(request), request.body, present)
      if ('organizations' in result) return { status: 'choose_organization' as const, ...result }
      const { user, signedIn } = result
      return answer(reply, user, signedIn)
    },
  )
  app.post(
    '/auth/users/sign-in/totp',
    {
      schema: {
        tags,
        summary: 'Give the code of the second factor',
        body: Code,
        response: { 200: SessionAnswer, ...errors },
      },
      config,
    },
    async (request, reply) => {
      const visit = await admitVisit(context, request, ['totp'])
      const signedIn = await giveCode(context, clientOf(request), visit, request.body.code)
      return answer(reply, visit.user, signedIn)
    },
  )
  app.post(
    '/auth/users/sign-in/password',
    {
      schema: {
        tags,
        summary: 'Replace an expired password',
        body: Type.Object({ password: Password }),
        response: { 200: SessionAnswer, ...errors },
      },
      config,
    },
    async (request, reply) => {
      const visit = await admitVisit(context, request, ['password'])
      const { password } = request.body
      const signedIn = await replaceExpired(context, clientOf(request), visit, password)
      return answer(reply, visit.user, signedIn)
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
      const continueTo = (await signOut(context, visit)) ?? null
      reply.header('set-cookie', noCookie(context))
      return { status: 'signed_out', continueTo }
    },
  )
  app.get(
    '/auth/users/session',
    {
      schema: {
        tags,
        summary: 'Who is signed in, or how far the sign-in is',
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
    '/auth/users/totp',
    {
      schema: {
        tags,
        summary: 'Begin to enrol a second factor',
        response: { 200: TotpEnrollment, ...errors },
      },
      config,
    },
    async (request) => {
      const visit = await admitVisit(context, request, ['enrollment'])
      return startEnrollment(context, clientOf(request), visit)
    },
  )
  app.post(
    '/auth/users/totp/confirm',
    {
      schema: {
        tags,
        summary: 'Finish the enrolment with a code of the device',
        body: Code,
        response: { 200: SessionAnswer, ...errors },
      },
      config,
    },
    async (request, reply) => {
      const visit = await admitVisit(context, request, ['enrollment'])
      const signedIn = await finishEnrollment(context, clientOf(request), visit, request.body.code)
      return answer(reply, visit.user, signedIn)
    },
  )

  app.post(
    '/auth/users/password/forgot',
    {
      schema: {
        tags,
        summary: 'Ask for a mail with a link to a new password',
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
        summary: 'What the link from a mail is for',
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
        summary: 'What a new password has to be like',
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
