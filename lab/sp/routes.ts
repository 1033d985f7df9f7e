import type { KeyObject } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { AppError } from '../../server/platform/errors.ts'
import { registerFormBody } from '../../server/platform/http/form-body.ts'
import { DEFAULT_LIMITS } from '../../server/platform/limits.ts'
import { sendPage } from '../../server/signon/index.ts'
import { type Inbound, readPost } from '../../server/sso/inbound/inbound.ts'
import { Refusal } from '../../server/sso/refusal.ts'
import {
  type Addresses,
  type Received,
  readReceived,
  requestAddress,
  signingKeys,
  slugOfIssuer,
  spMetadata,
} from './messages.ts'
import { receivedPage, startPage, unreadablePage } from './pages.ts'

/** Undefined if there is no message. */
function read(body: unknown): { inbound: Inbound; received: Received } | undefined {
  const inbound = readPost(Object(body), DEFAULT_LIMITS.saml)
  return inbound && { inbound, received: readReceived(inbound.xml) }
}

const FETCH_MS = 5000

/** From the metadata of the identity provider; none if it is unavailable. */
async function keysOf({ idp }: Addresses, slug: string): Promise<KeyObject[]> {
  try {
    const url = `${idp}/saml2/${encodeURIComponent(slug)}/metadata`
    const answer = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) })
    return answer.ok ? signingKeys(Buffer.from(await answer.arrayBuffer())) : []
  } catch {
    return []
  }
}

/** A service provider for tests of single sign-on: shows what it receives and stores nothing. */
export const spRoutes: FastifyPluginAsyncTypebox<Addresses> = async (app, addresses) => {
  await registerFormBody(app, DEFAULT_LIMITS)
  const config = { public: true as const }

  app.get('/', { config, prefixTrailingSlash: 'no-slash' }, (_, reply) =>
    sendPage(reply, startPage(addresses)),
  )

  app.get('/metadata', { config }, (_, reply) =>
    reply.type('application/samlmetadata+xml; charset=utf-8').send(spMetadata(addresses)),
  )

  app.get(
    '/start',
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
    ({ query }, reply) => reply.redirect(requestAddress(addresses, query), 303),
  )

  app.post('/acs', { config }, async ({ body }, reply) => {
    let found: ReturnType<typeof read>
    try {
      found = read(body)
    } catch (error) {
      if (error instanceof Refusal || error instanceof AppError)
        return sendPage(reply, unreadablePage(error.message))
      throw error
    }
    if (!found) return sendPage(reply, unreadablePage('The form has no SAMLResponse.'))
    const { inbound, received } = found
    const slug = slugOfIssuer(addresses, received.issuer) ?? inbound.relayState
    const keys = slug === undefined ? [] : await keysOf(addresses, slug)
    const checked = keys.map((key) => readReceived(inbound.xml, key))
    const best = checked.find(({ signature }) => signature.endsWith('good')) ?? checked[0]
    return sendPage(reply, receivedPage(addresses, best ?? received, inbound.relayState))
  })
}
