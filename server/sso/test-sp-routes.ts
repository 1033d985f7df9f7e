import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { findSsoApplication } from '../applications/index.ts'
import { AppError } from '../platform/errors.ts'
import { registerFormBody } from '../platform/http/form-body.ts'
import { sendPage } from '../signon/index.ts'
import type { SsoSliceContext } from './context.ts'
import { type Inbound, readPost } from './inbound/inbound.ts'
import { Refusal } from './refusal.ts'
import {
  type Received,
  readReceived,
  requestAddress,
  slugOfIssuer,
  testSpMetadata,
} from './test-sp.ts'
import { receivedPage, startPage, unreadablePage } from './test-sp-pages.ts'

/** Undefined: there is no message. */
function read(body: unknown): { inbound: Inbound; received: Received } | undefined {
  const inbound = readPost(Object(body))
  return inbound && { inbound, received: readReceived(inbound.xml) }
}

/**
 * A service provider to try single sign-on with, where people reach this process through their own machine only. It
 * shows what it is told and keeps nothing.
 */
export const testSpRoutes: FastifyPluginAsyncTypebox<{ context: SsoSliceContext }> = async (
  app,
  { context },
) => {
  await registerFormBody(app)
  const { publicUrl } = context
  const config = { public: true as const }

  app.get('/saml2/test-sp', { config }, (_, reply) => sendPage(reply, startPage(publicUrl)))

  app.get('/saml2/test-sp/metadata', { config }, (_, reply) =>
    reply.type('application/samlmetadata+xml; charset=utf-8').send(testSpMetadata(publicUrl)),
  )

  app.get(
    '/saml2/test-sp/start',
    {
      config,
      exposeHeadRoute: false,
      schema: {
        querystring: Type.Object({
          application: Type.String({ minLength: 1, maxLength: 256 }),
          force: Type.Optional(Type.String()),
          passive: Type.Optional(Type.String()),
        }),
      },
    },
    ({ query }, reply) => reply.redirect(requestAddress(publicUrl, query), 303),
  )

  app.post('/saml2/test-sp/acs', { config }, async ({ body }, reply) => {
    let found: ReturnType<typeof read>
    try {
      found = read(body)
    } catch (error) {
      if (error instanceof Refusal || error instanceof AppError)
        return sendPage(reply, unreadablePage(error.message))
      throw error
    }
    if (!found) return sendPage(reply, unreadablePage('No SAMLResponse has come.'))
    const { inbound, received } = found
    const slug = slugOfIssuer(publicUrl, received.issuer) ?? inbound.relayState
    const application = slug === undefined ? undefined : await findSsoApplication(context, slug)
    const verified = application && readReceived(inbound.xml, application.certificates.current.pem)
    return sendPage(reply, receivedPage(verified ?? received, inbound.relayState))
  })
}
