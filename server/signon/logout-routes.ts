import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { reportFailure } from '../platform/http/error-handler.ts'
import { isComplete, isSettled, respondToOrigin, signedOutPage, stateOf, tell } from './logout.ts'
import type { LogoutContext } from './logout-context.ts'
import { logoutPage, resultPage } from './logout-pages.ts'
import { failurePage, redirectTo } from './outcome.ts'
import { sendOutcome, sendPage } from './page-routes.ts'
import { readToken } from './token.ts'

const TokenPath = Type.Object({ token: Type.String({ minLength: 1, maxLength: 256 }) })
const PartyPath = Type.Object({ ...TokenPath.properties, at: Type.Integer({ minimum: 0 }) })

/** The page that signs a browser out of all applications; the token in its address is the only credential. */
export const logoutRoutes: FastifyPluginAsyncTypebox<{ context: LogoutContext }> = async (
  app,
  { context },
) => {
  app.setErrorHandler((error, request, reply) => {
    const { status, message } = reportFailure(error, request)
    return sendOutcome(request, reply, failurePage(status, message))
  })
  const config = { public: true as const }
  // GET has side effects, so HEAD must not run it.
  const get = { config, exposeHeadRoute: false }
  const find = async (text: string) => {
    const token = readToken(text)
    const state = token && (await stateOf(context, token))
    return state && { token, state }
  }

  app.get('/logout/:token', { ...get, schema: { params: TokenPath } }, async (request, reply) => {
    const found = await find(request.params.token)
    if (!found) return sendOutcome(request, reply, signedOutPage())
    const { token, state } = found
    if (state.parties.every(isSettled))
      return sendOutcome(request, reply, redirectTo(`/logout/${token.text}/done`))
    return sendPage(reply, logoutPage(token, state))
  })

  app.get(
    '/logout/:token/states',
    { ...get, schema: { params: TokenPath } },
    async (request, reply) => {
      const found = await find(request.params.token)
      const states = found?.state.parties.map((party) => ({
        state: party.channel === 'none' ? 'failed' : party.state,
        front: party.channel === 'front',
      }))
      return reply.header('cache-control', 'no-store').send(states ?? [])
    },
  )

  app.get(
    '/logout/:token/done',
    { ...get, schema: { params: TokenPath } },
    async (request, reply) => {
      const found = await find(request.params.token)
      if (!found) return sendOutcome(request, reply, signedOutPage())
      const { token, state } = found
      const response = await respondToOrigin(context, token.organizationId, state)
      return response && isComplete(state.parties)
        ? sendOutcome(request, reply, response)
        : sendPage(reply, resultPage(token, state, response !== undefined))
    },
  )

  /** From the page that says what could not be reached, to the application that asked for the logout. */
  app.get(
    '/logout/:token/return',
    { ...get, schema: { params: TokenPath } },
    async (request, reply) => {
      const found = await find(request.params.token)
      const response =
        found && (await respondToOrigin(context, found.token.organizationId, found.state))
      return sendOutcome(request, reply, response ?? signedOutPage())
    },
  )

  app.get(
    '/logout/:token/:at',
    { ...get, schema: { params: PartyPath } },
    async (request, reply) => {
      const { token: text, at } = request.params
      const token = readToken(text)
      const outcome = token ? await tell(context, token, at) : signedOutPage()
      // The page around it is ours.
      return sendOutcome(request, reply.header('x-frame-options', 'SAMEORIGIN'), outcome)
    },
  )
}
