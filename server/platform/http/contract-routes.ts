import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { BUNDLES, type Bundle, TITLES } from './bundles.ts'
import { type Operation, openapi, operationIdMapping } from './openapi.ts'

const assets = join(
  dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')),
  'static',
)
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gatehouse API reference</title>
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>.topbar-wrapper .link { visibility: hidden } body { margin: 0 }</style>
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-ui-standalone-preset.js"></script>
<script src="/docs/initializer.js"></script>
</body>
</html>
`

const INITIALIZER = `SwaggerUIBundle({
  urls: ${JSON.stringify(BUNDLES.map((bundle) => ({ url: `/openapi/${bundle}.json`, name: TITLES[bundle] })))},
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
})
`

/** No external resources: the reference works offline. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The published contract: both bundles, their operation-id mappings, and an API reference page. */
export function registerContract(
  app: FastifyInstance,
  operations: Operation[],
  place: { region: string; publicUrl: string },
): void {
  const open = { config: { public: true as const } }
  const texts = new Map<string, string>()
  /** Built once: it takes a while, and anybody may ask for it. */
  const textOf = (bundle: Bundle, legacy: boolean): string => {
    const key = `${bundle} ${legacy}`
    const text = texts.get(key) ?? JSON.stringify(openapi(operations, bundle, { place, legacy }))
    texts.set(key, text)
    return text
  }
  for (const bundle of BUNDLES) {
    app.get<{ Querystring: { ids?: string } }>(`/openapi/${bundle}.json`, open, (request, reply) =>
      reply
        .type('application/json; charset=utf-8')
        .send(textOf(bundle, request.query.ids === 'legacy')),
    )
    app.get(`/openapi/${bundle}-operation-ids.json`, open, () =>
      operationIdMapping(operations, bundle),
    )
  }
  app.get('/docs', open, (_, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', CSP).send(PAGE),
  )
  app.get('/docs/initializer.js', open, (_, reply) =>
    reply.type('text/javascript; charset=utf-8').send(INITIALIZER),
  )
  for (const [name, type] of Object.entries(ASSETS)) {
    app.get(`/docs/${name}`, open, (_, reply) =>
      reply
        .type(type)
        .header('cache-control', 'public, max-age=86400')
        .send(createReadStream(join(assets, name))),
    )
  }
}
