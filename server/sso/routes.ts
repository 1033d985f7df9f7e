import { readFileSync } from 'node:fs'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { findSsoApplication, noteMetadataFetched } from '../applications/index.ts'
import { reportFailure } from '../platform/http/error-handler.ts'
import { registerFormBody } from '../platform/http/form-body.ts'
import { currentPerson } from '../portal/index.ts'
import type { SsoSliceContext, Visitor } from './context.ts'
import { type Inbound, readPost, readRedirect } from './inbound/inbound.ts'
import { continueLogout, receiveLogout, resumeLogout } from './logout.ts'
import { metadataOf } from './metadata.ts'
import { failurePage, type Outcome } from './outcome.ts'
import { sendPage } from './page-routes.ts'
import { pageOf } from './pages.ts'
import { Refusal } from './refusal.ts'
import { findWaiting, gonePage, receiveRequest, resumeSignIn, startHere } from './sign-on.ts'

const asset = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')
const ASSETS = {
  'page.css': { type: 'text/css; charset=utf-8', text: asset('page.css') },
  'post-form.js': { type: 'text/javascript; charset=utf-8', text: asset('post-form.js') },
}

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

function send(request: FastifyRequest, reply: FastifyReply, outcome: Outcome) {
  if (outcome.binding !== 'redirect') return sendPage(reply, pageOf(outcome, request.id))
  // 303: whatever came as a form goes on as a plain request, with the cookie.
  return reply.header('cache-control', 'no-store').redirect(outcome.location, 303)
}

const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 256 }) })
const Token = Type.Object({ token: Type.String({ minLength: 1, maxLength: 256 }) })

/** What browsers and service providers come to. Errors are pages, as people see them. */
export const samlRoutes: FastifyPluginAsyncTypebox<{ context: SsoSliceContext }> = async (
  app,
  { context },
) => {
  await registerFormBody(app)
  const visitorOf = (request: FastifyRequest): Visitor => {
    let found: ReturnType<Visitor['person']> | undefined
    return {
      client: { ip: request.ip, userAgent: request.headers['user-agent'], requestId: request.id },
      person: () => {
        found ??= currentPerson(context, request)
        return found
      },
    }
  }
  /** Of a browser that brings its cookie: who it is, is looked up beside the application and not after it. */
  const earlyVisitorOf = (request: FastifyRequest): Visitor => {
    const visitor = visitorOf(request)
    // Whoever asks hears of a failure; nobody may ask.
    visitor.person().catch(() => {})
    return visitor
  }
  app.setErrorHandler((error, request, reply) => {
    const { status, message } = reportFailure(error, request)
    return send(request, reply, failurePage(status, message))
  })
  const config = { public: true as const }
  // HEAD must not do what GET does.
  const get = { config, exposeHeadRoute: false }

  app.get('/saml2/:slug', { ...get, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const query = rawQuery(request)
    const visitor = earlyVisitorOf(request)
    if (/(^|&)SAML(Request|Response)=/.test(query))
      return send(request, reply, await receiveRequest(context, visitor, slug, fromQuery(request)))
    const relayState = new URLSearchParams(query).get('RelayState') ?? undefined
    return send(request, reply, await startHere(context, visitor, slug, relayState))
  })
  app.post('/saml2/:slug', { config, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const visitor = visitorOf(request)
    return send(request, reply, await receiveRequest(context, visitor, slug, fromForm(request)))
  })

  app.get('/saml2/:slug/logout', { ...get, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const visitor = visitorOf(request)
    return send(request, reply, await receiveLogout(context, visitor, slug, fromQuery(request)))
  })
  app.post('/saml2/:slug/logout', { config, schema: { params: Slug } }, async (request, reply) => {
    const { slug } = request.params
    const visitor = visitorOf(request)
    return send(request, reply, await receiveLogout(context, visitor, slug, fromForm(request)))
  })

  app.get('/saml2/resume/:token', { ...get, schema: { params: Token } }, async (request, reply) => {
    const waiting = await findWaiting(context, request.params.token)
    if (!waiting) return send(request, reply, gonePage())
    const { token, applicationId, ask } = waiting
    const visitor = visitorOf(request)
    const outcome =
      ask.kind === 'sign-in'
        ? await resumeSignIn(context, visitor, token, applicationId, ask)
        : await resumeLogout(context, visitor, token, applicationId, ask)
    return send(request, reply, outcome)
  })
  app.get('/saml2/logout/:token', { ...get, schema: { params: Token } }, async (request, reply) =>
    send(request, reply, await continueLogout(context, request.params.token)),
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

  for (const [name, { type, text }] of Object.entries(ASSETS))
    app.get(`/saml2/assets/${name}`, { config }, (_, reply) =>
      reply.header('cache-control', 'public, max-age=3600').type(type).send(text),
    )
}
