import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { describeDevice } from '../insights/index.ts'
import type { Caller, Client } from '../platform/caller.ts'
import { forbidden } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { refuseForeign } from '../platform/http/foreign-origin.ts'
import { deviceOf } from '../platform/known-devices.ts'
import { SESSION_COOKIE, sessionCookieOf } from './authenticate.ts'
import { confirmSession } from './confirmation.ts'
import type { AdminContext } from './context.ts'
import { changePassword, requestPasswordReset, resetPassword } from './password-actions.ts'
import { disableTotp, finishTotp, startTotp } from './second-factor.ts'
import { listSessionsOf } from './session-store.ts'
import { csrfOf, type SignedIn } from './sessions.ts'
import { giveSecondFactor, signIn, signOut, signOutEverywhere } from './sign-in.ts'
import { findAdministratorById, findFirstWithoutPassword } from './store.ts'

const errors = errorsOf('v2')
const tags = ['sign-in']
const Ok = Type.Object({ status: Type.String() })
const Password = Type.String({ minLength: 1, maxLength: 1024 })
const Code = Type.Object({ code: Type.String({ minLength: 1, maxLength: 64 }) })
const SessionAnswer = Type.Object({
  status: Type.Enum(['signed_in', 'totp_required', 'totp_enrollment_required']),
  csrfToken: Type.String(),
  expiresAt: Type.String(),
})

const clientOf = (request: FastifyRequest): Client => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'],
  requestId: request.id,
  device: deviceOf(request.headers.cookie),
})

/** These routes are about a console session; an API key has none. */
function withSession(caller: Caller): Caller {
  if (!caller.sessionHash)
    throw forbidden('session_needed', 'Forbidden: this requires a console session')
  return caller
}

/** The same, with the device cookie: for routes that check a password or code. */
const proving = (request: FastifyRequest): Caller => ({
  ...withSession(request.caller),
  client: clientOf(request),
})

/** Sign-in of administrators to the console. */
export const sessionRoutes: FastifyPluginAsyncTypebox<{ context: AdminContext }> = async (
  app,
  { context },
) => {
  app.addHook('onRequest', async (request) => refuseForeign(context.publicUrl, request))
  const secure = context.publicUrl.startsWith('https:')
  const cookie = {
    name: SESSION_COOKIE,
    path: '/',
    httpOnly: true,
    sameSite: 'strict' as const,
    secure,
  }
  const setCookie = (reply: FastifyReply, value: string, expires: Date) =>
    reply.header('set-cookie', stringifySetCookie({ ...cookie, value, expires }))

  async function answer(request: FastifyRequest, reply: FastifyReply, session: SignedIn) {
    setCookie(reply, session.token, new Date(session.expiresAt))
    if (session.owed === null) {
      const { devices } = context.rules
      const mark = await devices.remember(clientOf(request), session.administratorId)
      reply.header('set-cookie', mark)
    }
    const status =
      session.owed === null
        ? 'signed_in'
        : session.owed === 'totp'
          ? 'totp_required'
          : 'totp_enrollment_required'
    return { status, csrfToken: session.csrfToken, expiresAt: session.expiresAt } as const
  }

  const open = { public: true as const }
  // `scopes: []`: any signed-in administrator, for their own account.
  const own = { scopes: [], tenant: 'home' as const }
  const half = { ...own, beforeSecondFactor: true as const }

  app.get(
    '/auth/setup',
    {
      schema: {
        tags,
        response: {
          200: Type.Object({
            passwordNeeded: Type.Boolean({
              description:
                'No administrator has a password: one is chosen by the link that a start prints',
            }),
          }),
          ...errors,
        },
      },
      config: open,
    },
    async () => ({ passwordNeeded: Boolean(await findFirstWithoutPassword(context.db)) }),
  )
  app.post(
    '/auth/sign-in',
    {
      schema: {
        tags,
        body: Type.Object({
          email: Type.String({ minLength: 1, maxLength: 1024 }),
          password: Password,
        }),
        response: { 200: SessionAnswer, ...errors },
      },
      config: open,
    },
    async (request, reply) =>
      answer(
        request,
        reply,
        await signIn(context, clientOf(request), request.body.email, request.body.password),
      ),
  )
  app.post(
    '/auth/sign-in/totp',
    { schema: { tags, body: Code, response: { 200: SessionAnswer, ...errors } }, config: half },
    async (request, reply) =>
      answer(request, reply, await giveSecondFactor(context, proving(request), request.body.code)),
  )
  app.post(
    '/auth/sign-out',
    { schema: { tags, response: { 200: Ok, ...errors } }, config: half },
    async ({ caller }, reply) => {
      await signOut(context, withSession(caller))
      setCookie(reply, '', new Date(0))
      return { status: 'signed_out' }
    },
  )
  app.post(
    '/auth/sign-out-everywhere',
    { schema: { tags, response: { 200: Ok, ...errors } }, config: own },
    async ({ caller }, reply) => {
      await signOutEverywhere(context, withSession(caller))
      setCookie(reply, '', new Date(0))
      return { status: 'signed_out' }
    },
  )

  app.get(
    '/auth/session',
    {
      schema: {
        tags,
        response: {
          200: Type.Object({
            id: Type.String(),
            email: Type.String(),
            roleNames: Type.Array(Type.String()),
            scopes: Type.Array(Type.String()),
            providerId: Type.Union([Type.String(), Type.Null()]),
            organizationIds: Type.Array(Type.String()),
            mfa: Type.Boolean({ description: 'Whether this session has given a second factor' }),
            totpEnrolled: Type.Boolean(),
            csrfToken: Type.Optional(
              Type.String({ description: 'Of a console session; an API key has none' }),
            ),
          }),
          ...errors,
        },
      },
      config: own,
    },
    async ({ caller, headers }) => ({
      id: caller.id,
      email: caller.initiator.email ?? '',
      roleNames: caller.roleNames,
      scopes: [...caller.scopes],
      providerId: caller.providerId,
      organizationIds: [...caller.organizationIds],
      mfa: caller.mfa,
      totpEnrolled: (await findAdministratorById(context.db, caller.id))?.totp_secret != null,
      ...(caller.sessionHash && { csrfToken: csrfOf(sessionCookieOf(headers.cookie)!) }),
    }),
  )
  app.post(
    '/auth/session/confirm',
    {
      schema: {
        tags,
        summary: 'Confirm the password, before changing the e-mail address or second factor',
        body: Type.Object({ password: Password, ...Type.Partial(Code).properties }),
        response: { 200: Ok, ...errors },
      },
      config: own,
    },
    async (request) => {
      const { password, code } = request.body
      await confirmSession(context, proving(request), password, code)
      return { status: 'confirmed' }
    },
  )
  app.get(
    '/auth/sessions',
    {
      schema: {
        tags,
        response: {
          200: Type.Array(
            Type.Object({
              current: Type.Boolean(),
              created: Type.String(),
              seenAt: Type.String(),
              clientIp: Type.Union([Type.String(), Type.Null()]),
              useragent: Type.Union([Type.String(), Type.Null()]),
              browser: Type.String(),
              system: Type.String(),
            }),
          ),
          ...errors,
        },
      },
      config: own,
    },
    async ({ caller }) => {
      const rows = await listSessionsOf(context.db, caller.id)
      return rows.map((row) => ({
        current: caller.sessionHash !== undefined && row.hash.equals(caller.sessionHash),
        created: row.created,
        seenAt: row.seen_at,
        clientIp: row.client_ip,
        useragent: row.useragent,
        ...describeDevice(row.useragent),
      }))
    },
  )

  app.post(
    '/auth/password/forgot',
    {
      schema: {
        tags,
        body: Type.Object({ email: Type.String({ minLength: 1, maxLength: 1024 }) }),
        response: { 200: Ok, ...errors },
      },
      config: open,
    },
    async (request) => {
      await requestPasswordReset(context, clientOf(request), request.body.email)
      return { status: 'mailed_if_known' }
    },
  )
  app.post(
    '/auth/password/reset',
    {
      schema: {
        tags,
        body: Type.Object({
          token: Type.String({ minLength: 1, maxLength: 256 }),
          password: Password,
        }),
        response: { 200: Ok, ...errors },
      },
      config: open,
    },
    async (request) => {
      await resetPassword(context, clientOf(request), request.body.token, request.body.password)
      return { status: 'changed' }
    },
  )
  app.post(
    '/auth/password',
    {
      schema: {
        tags,
        body: Type.Object({ currentPassword: Password, password: Password }),
        response: { 200: Ok, ...errors },
      },
      config: own,
    },
    async (request) => {
      const { currentPassword, password } = request.body
      await changePassword(context, proving(request), currentPassword, password)
      return { status: 'changed' }
    },
  )

  app.post(
    '/auth/totp',
    {
      schema: {
        tags,
        response: {
          200: Type.Object({ secret: Type.String(), otpauthUrl: Type.String() }),
          ...errors,
        },
      },
      config: half,
    },
    ({ caller }) => startTotp(context, withSession(caller)),
  )
  app.post(
    '/auth/totp/confirm',
    {
      schema: {
        tags,
        body: Code,
        response: {
          200: Type.Object({
            recoveryCodes: Type.Array(Type.String()),
            ...SessionAnswer.properties,
          }),
          ...errors,
        },
      },
      config: half,
    },
    async (request, reply) => {
      const { caller, body } = request
      const { recoveryCodes, session } = await finishTotp(context, withSession(caller), body.code)
      return { recoveryCodes, ...(await answer(request, reply, session)) }
    },
  )
  app.post(
    '/auth/totp/disable',
    {
      schema: {
        tags,
        // Older clients send a code; it is ignored, because the session must be confirmed.
        body: Type.Union([Type.Partial(Code), Type.Null()]),
        response: { 200: Ok, ...errors },
      },
      config: own,
    },
    async ({ caller }) => {
      await disableTotp(context, withSession(caller))
      return { status: 'disabled' }
    },
  )
}
