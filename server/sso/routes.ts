import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { findSsoApplication, noteMetadataFetched } from '../applications/index.ts'
import { reportFailure } from '../platform/http/error-handler.ts'
import { registerFormBody } from '../platform/http/form-body.ts'
import { failurePage, sendOutcome, type Visitor, visitorOf } from '../signon/index.ts'
import type { SsoSliceContext } from './context.ts'
import { type Inbound, readPost, readRedirect } from './inbound/inbound.ts'
import { continueLogout, receiveLogout, resumeLogout } from './logout.ts'
import { metadataOf } from './metadata.ts'
import { Refusal } from './refusal.ts'
import { findWaiting, gonePage, receiveRequest, resumeSignIn, startHere } from './sign-on.ts'

/** The part of the address after the question mark, as it was sent: signatures are over these very characters. */
const rawQuery = ({ raw: { url = '' } }: FastifyRequest): string => {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

const missing = () => new Refusal('unreadable', 'There is no SAMLRequest or SAMLResponse')
/** Reads only when asked to: whatever is wrong with a message is recorded for its application. */
const fromQuery = (request: FastifyRequest) => (): Inbound => {
  const inbound = readRedirect(rawQuery(request))
  if (!inbound) throw missing()
  return inbound
}
const fromForm = (request: FastifyRequest) => (): Inbound => {
  const inbound = readPost(Object(request.body))
  if (!inbound) throw missing()
  return inbound
}

const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 256 }) })
const Token = Type.Object({ token: Type.String({ minLength: 1, maxLength: 256 }) })

/** What browsers and service providers come to. Errors are pages, as people see them. */
export const samlRoutes: FastifyPluginAsyncTypebox<{ context: SsoSliceContext }> = async (
  app,
  { context },
) => {
  await registerFormBody(app)
  /** Of a browser that brings its cookie: who it is, is looked up beside the application and not after it. */
  const earlyVisitorOf = (request: FastifyRequest): Visitor => {
    const visitor = visitorOf(context, request)
    // A failure reaches those who await it; nobody may, and that is no unhandled rejection.
    visitor.person().catch(() => {})
    return visitor
  }
  app.setErrorHandler((error, request, reply) => {
    const { status, message } = reportFailure(error, request)
    return sendOutcome(request, reply, failurePage(status, message))
  })
  const config = { public: true as const }
  // HEAD must not do what GET does.
  const get = { config, exposeHeadRoute: false }

  app.get('/saml2/:slug', { ...get, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const query = rawQuery(request)
    const visitor = earlyVisitorOf(request)
    if (/(^|&)SAML(Request|Response)=/.test(query))
      return sendOutcome(
        request,
        reply,
        await receiveRequest(context, visitor, slug, fromQuery(request)),
      )
    const relayState = new URLSearchParams(query).get('RelayState') ?? undefined
    return sendOutcome(request, reply, await startHere(context, visitor, slug, relayState))
  })
  app.post('/saml2/:slug', { config, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const visitor = visitorOf(context, request)
    return sendOutcome(
      request,
      reply,
      await receiveRequest(context, visitor, slug, fromForm(request)),
    )
  })

  app.get('/saml2/:slug/logout', { ...get, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const visitor = visitorOf(context, request)
    return sendOutcome(
      request,
      reply,
      await receiveLogout(context, visitor, slug, fromQuery(request)),
    )
  })
  app.post('/saml2/:slug/logout', { config, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const visitor = visitorOf(context, request)
    return sendOutcome(
      request,
      reply,
      await receiveLogout(context, visitor, slug, fromForm(request)),
    )
  })

  app.get('/saml2/resume/:token', { ...get, schema: { params: Token } }, async (request, reply) => {
    const waiting = await findWaiting(context, request.params.token)
    if (!waiting) return sendOutcome(request, reply, gonePage())
    const { token, applicationId, ask } = waiting
    const visitor = visitorOf(context, request)
    const outcome =
      ask.kind === 'sign-in'
        ? await resumeSignIn(context, visitor, token, applicationId, ask)
        : await resumeLogout(context, visitor, token, applicationId, ask)
    return sendOutcome(request, reply, outcome)
  })
  app.get('/saml2/logout/:token', { ...get, schema: { params: Token } }, async (request, reply) =>
    sendOutcome(request, reply, await continueLogout(context, request.params.token)),
  )

  app.get('/saml2/:slug/metadata', { config, schema: { params: Slug } }, async (request, reply) => {
    const application = await findSsoApplication(context, request.params.slug)
    if (!application)
      return reply
        .code(404)
        .type('text/plain; charset=utf-8')
        .send('There is no such application\n')
    const { xml, certificates } = metadataOf(context, application)
    await noteMetadataFetched(context.db, application, {
      address: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
      certificates,
    })
    return reply.type('application/samlmetadata+xml; charset=utf-8').send(xml)
  })
}
