import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { findSsoApplication, noteMetadataFetched } from '../applications/index.ts'
import { reportFailure } from '../platform/http/error-handler.ts'
import { registerFormBody } from '../platform/http/form-body.ts'
import type { SamlLimits } from '../platform/limits.ts'
import { failurePage, sendOutcome, type Visitor, visitorOf } from '../signon/index.ts'
import type { SsoSliceContext } from './context.ts'
import { type Inbound, readPost, readRedirect } from './inbound/inbound.ts'
import { receiveLogout, resumeLogout } from './logout.ts'
import { metadataOf } from './metadata.ts'
import { Refusal } from './refusal.ts'
import { findWaiting, gonePage, receiveRequest, resumeSignIn, startHere } from './sign-on.ts'

/** The query string as it was sent: signatures cover these exact characters. */
const rawQuery = ({ raw: { url = '' } }: FastifyRequest): string => {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

const missing = () => new Refusal('unreadable', 'SAMLRequest or SAMLResponse is missing')
/** Lazy, so that an unreadable message is recorded as an attempt on its application. */
const fromQuery = (request: FastifyRequest, max: SamlLimits) => (): Inbound => {
  const inbound = readRedirect(rawQuery(request), max)
  if (!inbound) throw missing()
  return inbound
}
const fromForm = (request: FastifyRequest, max: SamlLimits) => (): Inbound => {
  const inbound = readPost(Object(request.body), max)
  if (!inbound) throw missing()
  return inbound
}

const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 256 }) })
const Token = Type.Object({ token: Type.String({ minLength: 1, maxLength: 256 }) })

/** The endpoints for browsers and service providers. Errors are pages, since users see them. */
export const samlRoutes: FastifyPluginAsyncTypebox<{ context: SsoSliceContext }> = async (
  app,
  { context },
) => {
  const { saml } = context.limits
  await registerFormBody(app, context.limits)
  /** Looks up the session concurrently with the application, for requests that carry the cookie. */
  const earlyVisitorOf = (request: FastifyRequest): Visitor => {
    const visitor = visitorOf(context, request)
    // Errors surface where it is awaited; avoid an unhandled rejection if it never is.
    visitor.person().catch(() => {})
    return visitor
  }
  app.setErrorHandler((error, request, reply) => {
    const { status, message } = reportFailure(error, request)
    return sendOutcome(request, reply, failurePage(status, message))
  })
  const config = { public: true as const }
  // GET has side effects, so HEAD must not run it.
  const get = { config, exposeHeadRoute: false }

  app.get('/saml2/:slug', { ...get, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const query = rawQuery(request)
    const visitor = earlyVisitorOf(request)
    if (/(^|&)SAML(Request|Response)=/.test(query))
      return sendOutcome(
        request,
        reply,
        await receiveRequest(context, visitor, slug, fromQuery(request, saml)),
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
      await receiveRequest(context, visitor, slug, fromForm(request, saml)),
    )
  })

  app.get('/saml2/:slug/logout', { ...get, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const visitor = visitorOf(context, request)
    return sendOutcome(
      request,
      reply,
      await receiveLogout(context, visitor, slug, fromQuery(request, saml)),
    )
  })
  app.post('/saml2/:slug/logout', { config, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const visitor = visitorOf(context, request)
    return sendOutcome(
      request,
      reply,
      await receiveLogout(context, visitor, slug, fromForm(request, saml)),
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

  app.get('/saml2/:slug/metadata', { config, schema: { params: Slug } }, async (request, reply) => {
    const application = await findSsoApplication(context, request.params.slug)
    if (!application)
      return reply.code(404).type('text/plain; charset=utf-8').send('Application not found\n')
    const { xml, certificates } = metadataOf(context, application)
    await noteMetadataFetched(context.db, application, {
      address: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
      certificates,
    })
    return reply.type('application/samlmetadata+xml; charset=utf-8').send(xml)
  })
}
