import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  allCertificates,
  findOidcApplication,
  noteMetadataFetched,
  type OidcApplication,
} from '../applications/index.ts'
import type { Client } from '../platform/caller.ts'
import { notFound } from '../platform/errors.ts'
import { reportFailure } from '../platform/http/error-handler.ts'
import { errorBody } from '../platform/http/errors.ts'
import {
  failurePage,
  type Outcome,
  type Page,
  sendOutcome,
  sendPage,
  visitorOf,
} from '../signon/index.ts'
import { authorizePath } from './addresses.ts'
import { authorize } from './authorize.ts'
import type { OidcContext } from './context.ts'
import { ANY_ORIGIN, crossOriginHeaders, PREFLIGHT } from './cors.ts'
import { configurationOf, jwksOf } from './discovery.ts'
import { introspect } from './introspect.ts'
import { requestLogout } from './logout.ts'
import { Params } from './params.ts'
import { OidcRefusal } from './refusal.ts'
import { revoke } from './revoke.ts'
import { exchange } from './tokens.ts'
import { userinfo } from './userinfo.ts'

const ClientPath = Type.Object({ client: Type.String({ minLength: 1, maxLength: 256 }) })
const schema = { params: ClientPath }
const config = { public: true as const }

const FORM = 'application/x-www-form-urlencoded'
const queryOf = ({ raw: { url = '' } }: FastifyRequest) =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
const formOf = ({ body }: FastifyRequest) =>
  body instanceof URLSearchParams ? body : new URLSearchParams()

const clientOf = (request: FastifyRequest): Client => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'],
  requestId: request.id,
})

const send = (request: FastifyRequest, reply: FastifyReply, outcome: Outcome) =>
  sendOutcome(request, reply.header('referrer-policy', 'no-referrer'), outcome)

type Plugin = FastifyPluginAsyncTypebox<{ context: OidcContext }>

/** Endpoints for browsers. Errors that are not for the client are pages. */
const browserRoutes: Plugin = async (app, { context }) => {
  app.setErrorHandler((error, request, reply) => {
    const { status, message } = reportFailure(error, request)
    return send(request, reply, failurePage(status, message))
  })

  // GET has side effects, so HEAD must not run it.
  const get = { schema, config, exposeHeadRoute: false }
  app.get('/oidc/:client/authorize', get, async (request, reply) => {
    const params = new Params(queryOf(request))
    const { client } = request.params
    return send(
      request,
      reply,
      await authorize(context, visitorOf(context, request), client, params),
    )
  })
  // A cross-site POST carries no cookie (SameSite), so redirect the browser to a GET.
  app.post('/oidc/:client/authorize', { schema, config }, async (request, reply) => {
    const clientId = encodeURIComponent(request.params.client)
    const location = authorizePath({ clientId }, formOf(request).toString())
    return send(request, reply, { binding: 'redirect', location })
  })

  const sendLogout = (request: FastifyRequest, reply: FastifyReply, outcome: Outcome | Page) =>
    'binding' in outcome ? send(request, reply, outcome) : sendPage(reply, outcome)
  app.get('/oidc/:client/logout', get, async (request, reply) => {
    const params = new Params(queryOf(request))
    const visitor = visitorOf(context, request)
    const outcome = await requestLogout(context, visitor, request.params.client, params, false)
    return sendLogout(request, reply, outcome)
  })
  app.post('/oidc/:client/logout', { schema, config }, async (request, reply) => {
    const form = formOf(request)
    const { client } = request.params
    const visitor = visitorOf(context, request)
    // The form of our own page. As with authorize, a cross-site POST carries no cookie, so it confirms nothing.
    if (form.get('confirmed') === 'yes' && (await visitor.person())) {
      const outcome = await requestLogout(context, visitor, client, new Params(form), true)
      return sendLogout(request, reply, outcome)
    }
    form.delete('confirmed')
    const location = `/oidc/${encodeURIComponent(client)}/logout?${form}`
    return send(request, reply, { binding: 'redirect', location })
  })
}

/** Endpoints for clients. */
const clientRoutes: Plugin = async (app, { context }) => {
  const find = async (clientId: string): Promise<OidcApplication> => {
    const application = await findOidcApplication(context, clientId)
    if (!application) throw notFound('client_not_found', 'Client not found')
    return application
  }

  app.setErrorHandler((error, request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!(error instanceof OidcRefusal)) {
      const failure = reportFailure(error, request)
      return reply.code(failure.status).send(errorBody('oauth', failure))
    }
    request.log.info({ reason: error.reason }, error.message)
    // RFC 6749 §5.2, RFC 6750 §3
    const challenges: Record<string, string> = {
      invalid_client: 'Basic realm="oidc"',
      invalid_token: 'Bearer error="invalid_token"',
    }
    const challenge = challenges[error.error]
    if (challenge !== undefined) reply.header('www-authenticate', challenge)
    return reply
      .code(challenge === undefined ? 400 : 401)
      .send({ error: error.error, error_description: error.description })
  })

  app.get(
    '/oidc/:client/.well-known/openid-configuration',
    { schema, config },
    async ({ params }, reply) =>
      reply
        .headers(ANY_ORIGIN)
        .header('cache-control', 'public, max-age=300')
        .send(configurationOf(context, await find(params.client))),
  )

  app.get('/oidc/:client/jwks', { schema, config }, async (request, reply) => {
    const application = await find(request.params.client)
    await noteMetadataFetched(context.db, application, {
      address: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
      certificates: allCertificates(application.certificates).map(({ id }) => id),
    })
    return reply
      .headers(ANY_ORIGIN)
      .header('cache-control', 'public, max-age=300')
      .send(jwksOf(application))
  })

  /** Before the handler, so that errors carry the headers too: the page could not read them otherwise. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const { origin } = request.headers
    if (origin === undefined) return
    const { client } = request.params as { client: string }
    const application = await findOidcApplication(context, client)
    if (application) reply.headers(crossOriginHeaders(application, origin))
  }
  for (const name of ['token', 'userinfo', 'revoke'])
    app.options(`/oidc/:client/${name}`, { schema, config, onRequest }, (_, reply) =>
      reply.headers(PREFLIGHT).code(204).send(),
    )

  app.post('/oidc/:client/revoke', { schema, config, onRequest }, async (request, reply) => {
    const application = await find(request.params.client)
    const params = new Params(formOf(request))
    await revoke(context, application, request.headers.authorization, params)
    return reply.header('cache-control', 'no-store').send()
  })

  app.post('/oidc/:client/introspect', { schema, config }, async (request, reply) => {
    const application = await find(request.params.client)
    const params = new Params(formOf(request))
    const { authorization } = request.headers
    return reply
      .header('cache-control', 'no-store')
      .send(await introspect(context, application, authorization, params))
  })

  app.post('/oidc/:client/token', { schema, config, onRequest }, async (request, reply) => {
    const application = await find(request.params.client)
    const { authorization } = request.headers
    const params = new Params(formOf(request))
    const tokens = await exchange(context, clientOf(request), application, authorization, params)
    // RFC 6749 §5.1
    return reply.header('cache-control', 'no-store').header('pragma', 'no-cache').send(tokens)
  })

  app.route({
    method: ['GET', 'POST'],
    url: '/oidc/:client/userinfo',
    schema,
    config,
    onRequest,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const application = await find(request.params.client)
      const { authorization } = request.headers
      return reply
        .header('cache-control', 'no-store')
        .send(await userinfo(context, application, authorization, formOf(request)))
    },
  })
}

/** The OpenID provider; it accepts form bodies only. */
export const oidcRoutes: Plugin = async (app, options) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: 65_536 }, (_, body, done) =>
    done(null, new URLSearchParams(body as string)),
  )
  await app.register(browserRoutes, options)
  await app.register(clientRoutes, options)
}
