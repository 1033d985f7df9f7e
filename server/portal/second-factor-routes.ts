import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { describeSession } from './account.ts'
import type { PortalContext } from './context.ts'
import { admitVisit } from './guard.ts'
import { Code, EnrollmentAnswer, RecoveryCodes, Status, TotpEnrollment } from './schema.ts'
import {
  finishEnrollment,
  removeTotp,
  renewRecoveryCodes,
  startEnrollment,
} from './second-factor.ts'
import { sessionCookie } from './sessions.ts'
import { clientOf } from './sign-in-routes.ts'

const errors = errorsOf('v2')
const tags = ['user portal']
/** Authenticated by the portal cookie; see `routes.ts`. */
const config = { public: true as const }

/** The second factor of a user, enrolled in the portal or as a required step of sign-in. */
export const secondFactorRoutes: FastifyPluginAsyncTypebox<{ context: PortalContext }> = async (
  app,
  { context },
) => {
  app.post(
    '/auth/users/totp',
    {
      schema: {
        tags,
        summary: 'Start enrolling a second factor',
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
        summary:
          'Finish the enrolment with a code of the device; the recovery codes are shown only once',
        body: Code,
        response: { 200: EnrollmentAnswer, ...errors },
      },
      config,
    },
    async (request, reply) => {
      const visit = await admitVisit(context, request, ['enrollment'])
      const { code } = request.body
      const enrolled = await finishEnrollment(context, clientOf(request), visit, code)
      const { signedIn, recoveryCodes } = enrolled
      reply.header('set-cookie', sessionCookie(context, signedIn))
      return { ...(await describeSession(context, visit.user, signedIn)), recoveryCodes }
    },
  )
  app.post(
    '/auth/users/totp/recovery-codes',
    {
      schema: {
        tags,
        summary: 'Generate new recovery codes; the old ones stop working',
        body: Code,
        response: { 200: RecoveryCodes, ...errors },
      },
      config,
    },
    async (request) => {
      const visit = await admitVisit(context, request)
      const { code } = request.body
      return { recoveryCodes: await renewRecoveryCodes(context, clientOf(request), visit, code) }
    },
  )
  app.post(
    '/auth/users/totp/remove',
    {
      schema: {
        tags,
        summary: 'Remove the second factor, with one of its codes or a recovery code',
        body: Code,
        response: { 200: Status, ...errors },
      },
      config,
    },
    async (request) => {
      const visit = await admitVisit(context, request)
      await removeTotp(context, clientOf(request), visit, request.body.code)
      return { status: 'removed' }
    },
  )
}
