import type { FastifyInstance, RouteOptions } from 'fastify'
import type { TenantRule } from './authorize.ts'
import { type Bundle, DESCRIPTIONS, TITLES } from './bundles.ts'
import { errorBody, familyOf } from './errors.ts'
import { exampleOf } from './examples.ts'

type Json = Record<string, unknown>

export interface Operation {
  method: string
  /** From the root of the host, with {braces}: /api/v2/roles/{role_id} */
  hostRootPath: string
  basePath: string
  bundle: Bundle
  standardizedId: string
  legacyId: string
  scopes: readonly string[] | null
  /** Further lists of scopes, one of each of which is required as well. */
  besides: readonly (readonly string[])[]
  /** Without the scopes the answer is shorter, not refused. */
  briefWithoutScopes: boolean
  tenant: TenantRule
  schema: Json
}

/** The public naming rule: method, then every path segment in camel case, parameters as By<Name>. */
export function standardizedOperationId(method: string, hostRootPath: string): string {
  const words = hostRootPath
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      const parts = segment.split(/[^a-zA-Z0-9]+/).filter((part) => part !== '')
      const name = parts
        .map((part) => part[0]!.toUpperCase() + part.slice(1).toLowerCase())
        .join('')
      return segment.startsWith('{') ? `By${name}` : name
    })
  return method.toLowerCase() + words.join('')
}

const braces = (path: string): string =>
  path.replace(/:([A-Za-z0-9_]+)/g, '{$1}').replace(/(.)\/$/, '$1')

function basePathOf(path: string): string {
  if (path.startsWith('/api/v2/')) return '/api/v2'
  return path.startsWith('/api/') ? '/api' : '/insights/directory'
}

/** Collects the routes of the two published bundles as they register. */
export function collectOperations(app: FastifyInstance): Operation[] {
  const operations: Operation[] = []
  app.addHook('onRoute', (route: RouteOptions) => {
    const methods = [route.method]
      .flat()
      .filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
    const hostRootPath = braces(route.url)
    const bundle: Bundle | null = hostRootPath.startsWith('/api/')
      ? 'management'
      : hostRootPath.startsWith('/insights/')
        ? 'insights'
        : null
    if (!bundle) return
    for (const method of methods) {
      const standardizedId = standardizedOperationId(method, hostRootPath)
      operations.push({
        method,
        hostRootPath,
        basePath: basePathOf(hostRootPath),
        bundle,
        standardizedId,
        legacyId: route.config?.operationId?.legacy ?? standardizedId,
        scopes: route.config?.public ? null : (route.config?.scopes ?? []),
        besides: route.config?.besides ?? [],
        briefWithoutScopes: route.config?.briefWithoutScopes ?? false,
        tenant: route.config?.tenant ?? 'header',
        schema: (route.schema ?? {}) as Json,
      })
    }
  })
  return operations
}

/** Converts tuples from draft 7, which the validators use, to JSON Schema 2020-12, which OpenAPI 3.1 uses. */
function tuple(schema: Json): Json {
  const { items, additionalItems = true, ...rest } = schema
  return Array.isArray(items) ? { ...rest, prefixItems: items, items: additionalItems } : schema
}

/**
 * Replaces every titled schema with a reference, and puts it under components once. A recursive schema defines its parts
 * in `$defs`, and names one of them in `x-component`, where validators see any object.
 */
function hoist(schema: unknown, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map((part) => hoist(part, components))
  if (typeof schema !== 'object' || schema === null) return schema
  if ('x-component' in schema) return { $ref: `#/components/schemas/${schema['x-component']}` }
  const { $defs: _, ...parts } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, hoist(value, components)]),
  )
  const plain = tuple(parts)
  if (typeof plain.title !== 'string') return plain
  const { title, ...rest } = plain as { title: string }
  const known = components[title]
  if (known && JSON.stringify(known) !== JSON.stringify(rest))
    throw new Error(`Two schemas have the title ${title}`)
  components[title] = rest
  return { $ref: `#/components/schemas/${title}` }
}

function parameters(place: 'path' | 'query' | 'header', schema: unknown, components: Json): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema: hoist(rest, components),
      ...(place !== 'header' && { example: exampleOf(rest, name) }),
      // v1 repeats a parameter, v2 uses commas; both are accepted.
      ...(rest.type === 'array' && { style: 'form', explode: true }),
    }
  })
}

/** The tenant headers of a route, by its rule. */
function tenantHeaders({ scopes, tenant }: Operation): Json[] {
  if (scopes === null || tenant === 'home') return []
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', pattern: '^[0-9a-f]{24}$' },
  })
  const organization = header('x-org-id', 'Organization; required for administrators of several')
  if (tenant === 'header' || tenant === 'path') return [organization]
  return [organization, header('x-provider-id', 'Instead of x-org-id: the provider itself')]
}

const REASONS: Record<string, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  304: 'Not modified',
  '4XX': 'The request was rejected',
  '5XX': 'The service failed',
}

const either = (scopes: readonly string[]) => scopes.map((scope) => `\`${scope}\``).join(' or ')

/** What the summary does not say: who may call it. */
function describe({ schema, scopes, besides, briefWithoutScopes }: Operation): string {
  const who =
    scopes === null
      ? 'Needs no credential.'
      : scopes.length === 0
        ? 'Any valid credential may call it.'
        : `Scopes: ${[scopes, ...besides].map(either).join(', and ')}.${briefWithoutScopes ? ' Other credentials get a shorter answer.' : ''}`
  return schema.description === undefined ? who : `${schema.description}\n\n${who}`
}

/** The errors that an operation can answer by what it declares; docs/reasons.md lists the others. */
function errorExamples({ hostRootPath, scopes, schema }: Operation, code: string): Json {
  const family = familyOf(hostRootPath)
  const example = (status: number, reason: string, message: string) => [
    reason,
    { summary: `${status} ${reason}`, value: errorBody(family, { status, reason, message }) },
  ]
  if (code.startsWith('5'))
    return Object.fromEntries([
      example(503, 'database_unavailable', 'The database is unavailable; try again shortly'),
    ])
  const takesInput = schema.body !== undefined || schema.querystring !== undefined
  return Object.fromEntries([
    ...(takesInput ? [example(400, 'validation', 'body must be object')] : []),
    ...(scopes === null
      ? []
      : [
          example(401, 'credential_missing', 'Unauthorized: send an API key in x-api-key'),
          example(401, 'org_id_required', 'x-org-id is required for multi-tenant administrators'),
        ]),
    ...(scopes !== null && scopes.length > 0
      ? [
          example(
            403,
            'scope_missing',
            `Forbidden: requires one of these scopes: ${scopes.join(', ')}`,
          ),
        ]
      : []),
    ...(schema.params === undefined
      ? []
      : [example(404, 'organization_not_found', 'organization not found')]),
    example(429, 'rate_limited', 'Too many requests'),
  ])
}

const withExamples = (content: Record<string, Json>): Json =>
  Object.fromEntries(
    Object.entries(content).map(([type, media]) => [
      type,
      type === 'application/json' ? { ...media, example: exampleOf(media.schema as Json) } : media,
    ]),
  )

function describeOperation(operation: Operation, legacy: boolean, components: Json): Json {
  const { schema } = operation
  const responses = Object.entries((schema.response ?? {}) as Json).map(([status, body]) => {
    const code = status.toUpperCase()
    const { description, ...rest } = body as Json
    const empty = rest.type === 'null'
    // As in Fastify: a response that is not JSON declares its content types itself.
    const examples = /^[45]/.test(code)
      ? { examples: errorExamples(operation, code) }
      : { example: exampleOf(rest) }
    return [
      code,
      {
        description: description ?? REASONS[code] ?? code,
        ...(!empty && {
          content: rest.content
            ? hoist(withExamples(rest.content as Record<string, Json>), components)
            : { 'application/json': { schema: hoist(rest, components), ...examples } },
        }),
      },
    ]
  })
  return {
    operationId: legacy ? operation.legacyId : operation.standardizedId,
    ...(schema.summary !== undefined && { summary: schema.summary }),
    description: describe(operation),
    tags: schema.tags ?? [],
    parameters: [
      ...parameters('path', schema.params, components),
      ...parameters('query', schema.querystring, components),
      ...parameters('header', schema.headers, components),
      ...tenantHeaders(operation),
    ],
    ...(schema.body !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: hoist(schema.body, components),
            example: exampleOf(schema.body as Json),
          },
        },
      },
    }),
    // A body that is not JSON is parsed by its route, which describes it in OpenAPI terms.
    ...(schema.requestBody !== undefined && { requestBody: schema.requestBody }),
    responses: Object.fromEntries(responses),
    security: operation.scopes === null ? [] : [{ 'x-api-key': [] }, { bearer: [] }],
    ...(operation.scopes && { 'x-scopes': operation.scopes }),
    ...(operation.besides.length > 0 && { 'x-scopes-besides': operation.besides }),
  }
}

const SERVER: Record<Bundle, string> = { management: '/api', insights: '/insights/directory' }

const REGIONS: Record<string, string> = { us: 'United States', eu: 'European Union', in: 'India' }

interface ContractOptions {
  legacy?: boolean
  /** Of the running installation; the stored files name none. */
  place?: { region: string; publicUrl: string }
}

/** OpenAPI 3.1 of one bundle. Paths are relative to the bundle's base URL. */
export function openapi(
  operations: Operation[],
  bundle: Bundle,
  { legacy = false, place }: ContractOptions = {},
): Json {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  const sorted = operations.filter((operation) => operation.bundle === bundle)
  sorted.sort((a, b) =>
    a.hostRootPath < b.hostRootPath
      ? -1
      : a.hostRootPath > b.hostRootPath
        ? 1
        : a.method < b.method
          ? -1
          : 1,
  )
  for (const operation of sorted) {
    const path = operation.hostRootPath.slice(SERVER[bundle].length)
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describeOperation(operation, legacy, components),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: TITLES[bundle],
      description: DESCRIPTIONS[bundle],
      version: '1.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        // Relative, so that the reference calls the service that shows it, whatever its address.
        url: SERVER[bundle],
        ...(place && {
          description: `${REGIONS[place.region]}: ${place.publicUrl}${SERVER[bundle]}`,
          'x-region': place.region,
        }),
      },
    ],
    tags: [...new Set(sorted.flatMap(({ schema }) => (schema.tags ?? []) as string[]))]
      .sort()
      .map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

/** The published mapping from legacy to standardized operation ids: exactly these five attributes. */
export const operationIdMapping = (operations: Operation[], bundle: Bundle) =>
  operations
    .filter((operation) => operation.bundle === bundle)
    .map((operation) => ({
      method: operation.method,
      host_root_path: operation.hostRootPath,
      base_path: operation.basePath,
      legacy_operation_id: operation.legacyId,
      standardized_operation_id: operation.standardizedId,
    }))
    .sort((a, b) => (a.standardized_operation_id < b.standardized_operation_id ? -1 : 1))
