import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { randomToken } from '../secrets.ts'

/** Each document with its paths: the pages are rendered in the browser. */
const PAGES = {
  'index.html': ['/', '/login', '/forgot-password', '/password', '/profile', '/security'],
  'console.html': ['/console', '/console/*'],
}

const DIST = join(import.meta.dirname, '../../../web/dist')

/**
 * No external resources, and no scripts but our files. Mantine writes one style element for its variables, with the
 * nonce of the response. Styles that scripts set on elements are not subject to the policy.
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

/** The pages of web/, as built by scripts/build-web.mjs. Without them everything but the pages works. */
export async function registerWeb(app: FastifyInstance, root = DIST): Promise<void> {
  if (!existsSync(join(root, 'index.html'))) {
    app.log.warn(
      {},
      'The web pages are not built, so the portal is unavailable; run `node scripts/build-web.mjs`',
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
          // Read each time: it names hashed files that change with every build.
          const page = await readFile(join(root, file), 'utf8')
          return reply
            .type('text/html; charset=utf-8')
            .header('cache-control', 'no-cache')
            .header('content-security-policy', policy(nonce))
            .send(page.replace('STYLE_NONCE', nonce))
        })
    // Their names contain a hash of the content.
    const assets = { immutable: true, maxAge: '1y' }
    web.get<{ Params: { '*': string } }>('/assets/*', { config }, ({ params }, reply) =>
      reply.sendFile(`assets/${params['*']}`, assets),
    )
    web.get('/favicon.svg', { config }, (_, reply) => reply.sendFile('favicon.svg'))
  })
}
