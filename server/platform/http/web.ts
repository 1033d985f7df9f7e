import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { randomToken } from '../secrets.ts'

/** Each document with its addresses: the browser draws the page by itself. */
const PAGES = {
  'index.html': ['/', '/login', '/forgot-password', '/password', '/profile', '/security'],
  'console.html': ['/console', '/console/*'],
}

const DIST = join(import.meta.dirname, '../../../web/dist')

/**
 * Nothing from elsewhere, and no script but our files. Mantine writes one style element for its variables; it carries
 * the nonce of the answer. Styles that scripts set on elements are not subject to the policy.
 */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The pages of web/, as scripts/build-web.mjs has left them. Without them all but the pages works. */
export async function registerWeb(app: FastifyInstance, root = DIST): Promise<void> {
  if (!existsSync(join(root, 'index.html'))) {
    app.log.warn(
      {},
      'The web pages are not built, so there is no portal; `node scripts/build-web.mjs` builds them',
    )
    return
  }
  const config = { public: true as const }
  await app.register(async (web) => {
    await web.register(fastifyStatic, { root, serve: false, preCompressed: true, index: false })
    for (const [file, paths] of Object.entries(PAGES))
      for (const path of paths)
        web.get(path, { config }, async (_, reply) => {
          const nonce = randomToken(16)
          // Read anew: it names files that go when the pages are built again.
          const page = await readFile(join(root, file), 'utf8')
          return reply
            .type('text/html; charset=utf-8')
            .header('cache-control', 'no-cache')
            .header('content-security-policy', policy(nonce))
            .send(page.replace('STYLE_NONCE', nonce))
        })
    // Their names hold a hash of what is in them.
    const assets = { immutable: true, maxAge: '1y' }
    web.get<{ Params: { '*': string } }>('/assets/*', { config }, ({ params }, reply) =>
      reply.sendFile(`assets/${params['*']}`, assets),
    )
    web.get('/favicon.svg', { config }, (_, reply) => reply.sendFile('favicon.svg'))
  })
}
