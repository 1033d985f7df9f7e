import { readFileSync } from 'node:fs'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from '../platform/caller.ts'
import { currentPerson } from '../portal/index.ts'
import type { SignedIn } from './admission.ts'
import type { Outcome } from './outcome.ts'
import { type Page, pageOf, policyOf } from './pages.ts'

/** The browser that sent a request. */
export interface Visitor {
  client: Client
  /** The signed-in user; looked up on first use, then reused. */
  person: () => Promise<SignedIn | undefined>
}

export function visitorOf(
  context: Parameters<typeof currentPerson>[0],
  request: FastifyRequest,
): Visitor {
  let found: ReturnType<Visitor['person']> | undefined
  return {
    client: { ip: request.ip, userAgent: request.headers['user-agent'], requestId: request.id },
    person: () => {
      found ??= currentPerson(context, request)
      return found
    },
  }
}

export const sendPage = (reply: FastifyReply, page: Page) =>
  reply
    .code(page.status)
    .header('content-security-policy', policyOf(page))
    .header('cache-control', 'no-store')
    .header('x-frame-options', page.framed ? 'SAMEORIGIN' : 'DENY')
    // Some service providers reject a form without an origin as forged.
    .header('referrer-policy', 'strict-origin')
    .type('text/html; charset=utf-8')
    .send(page.body)

export function sendOutcome(request: FastifyRequest, reply: FastifyReply, outcome: Outcome) {
  if (outcome.binding !== 'redirect') return sendPage(reply, pageOf(outcome, request.id))
  // 303 turns a POST into a GET, which carries the cookie.
  return reply.header('cache-control', 'no-store').redirect(outcome.location, 303)
}

const asset = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')
const ASSETS = {
  'page.css': { type: 'text/css; charset=utf-8', text: asset('page.css') },
  'logout.js': { type: 'text/javascript; charset=utf-8', text: asset('logout.js') },
  'post-form.js': { type: 'text/javascript; charset=utf-8', text: asset('post-form.js') },
}

/** Assets of the SAML and OpenID Connect pages. The path predates OpenID Connect. */
export const assetRoutes: FastifyPluginAsync = async (app) => {
  for (const [name, { type, text }] of Object.entries(ASSETS))
    app.get(`/saml2/assets/${name}`, { config: { public: true } }, (_, reply) =>
      reply.header('cache-control', 'public, max-age=3600').type(type).send(text),
    )
}
