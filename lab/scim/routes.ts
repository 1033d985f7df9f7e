import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { messageOf } from '../../server/platform/errors.ts'
import { MAX_PAGE, providerConfig, resourceTypes, schemaDocuments } from './discovery.ts'
import { badRequest, errorBody, ScimError } from './errors.ts'
import { parseFilter, resolvePath } from './filter.ts'
import type { Lab } from './lab.ts'
import { applyPatch, readOperations } from './patch.ts'
import type { Method } from './profiles.ts'
import { isObject, type Json, readResource } from './read.ts'
import { attributeOf, type Endpoint, TYPES, URNS } from './schemas.ts'
import type { Resource } from './store.ts'

const DEFAULT_PAGE = 100

type ById = { Params: { id: string } }

/** The parser of the lab makes no arrays: the last of repeated parameters counts. */
const queryOf = ({ query }: FastifyRequest) => query as Record<string, string | undefined>

function number(text: string | undefined, fallback: number, min: number): number {
  if (text === undefined || text === '') return fallback
  if (!/^-?\d{1,9}$/.test(text)) throw badRequest('invalidValue', `${text} is not a whole number`)
  return Math.max(min, Number(text))
}

const locationOf = (lab: Lab, endpoint: Endpoint, id: string): string =>
  `${lab.url}/${endpoint}/${encodeURIComponent(id)}`

/** `attributes` and `excludedAttributes` (RFC 7644 §3.9), to the precision of whole attributes. */
function project(endpoint: Endpoint, resource: Json, request: FastifyRequest): Json {
  const { attributes, excludedAttributes } = queryOf(request)
  if (!attributes && !excludedAttributes) return resource
  const known = TYPES[endpoint].attributes
  const pathsOf = (list = '') =>
    list.split(',').flatMap((name) => [resolvePath(known, name.trim()) ?? []])
  const wanted = new Set(pathsOf(attributes).map(([first]) => first?.name))
  const whole = pathsOf(excludedAttributes).filter(({ length }) => length === 1)
  const unwanted = new Set(whole.map(([first]) => first?.name))
  const isSent = (name: string) =>
    attributeOf(known, name)?.returned === 'always' ||
    (attributes ? wanted.has(name) : !unwanted.has(name))
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isSent(name)))
}

function present(lab: Lab, endpoint: Endpoint, resource: Resource, request: FastifyRequest): Json {
  const location = locationOf(lab, endpoint, resource.id)
  const whole: Json = {
    ...lab.store.withGroups(endpoint, resource),
    meta: { ...resource.meta, location },
  }
  const method = request.method as Method
  const shown = lab.profile.shown?.(whole, { endpoint, method }) ?? whole
  return project(endpoint, shown, request)
}

/** Serialized here: one profile sends JSON that is not labelled so. */
const send = ({ profile }: Lab, reply: FastifyReply, status: number, body: unknown) =>
  reply
    .code(status)
    .type(profile.contentType ?? 'application/scim+json')
    .send(JSON.stringify(body))

const namesVersion = (header: string, { meta }: Resource): boolean =>
  header === '*' ||
  header
    .split(',')
    .map((word) => word.trim())
    .includes(meta.version)

/** RFC 7644 §3.14. */
function checkVersion({ headers }: FastifyRequest, resource: Resource): void {
  const wanted = headers['if-match']
  if (wanted !== undefined && !namesVersion(wanted, resource))
    throw new ScimError(412, 'The resource has changed')
}

function filterOf({ profile }: Lab, endpoint: Endpoint, text: string | undefined) {
  if (!text || profile.ignoresFilters) return undefined
  const filter = parseFilter(text, TYPES[endpoint].attributes)
  profile.checkFilter?.(filter)
  return filter
}

function list(lab: Lab, endpoint: Endpoint, request: FastifyRequest): Json {
  const { filter, startIndex, count } = queryOf(request)
  const { maxPage = MAX_PAGE, page: changed } = lab.profile
  const found = lab.store.list(endpoint, filterOf(lab, endpoint, filter))
  const start = number(startIndex, 1, 1)
  const size = Math.min(number(count, DEFAULT_PAGE, 0), maxPage)
  const Resources = found
    .slice(start - 1, start - 1 + size)
    .map((resource) => present(lab, endpoint, resource, request))
  const page = {
    schemas: [URNS.list],
    totalResults: found.length,
    startIndex: start,
    itemsPerPage: Resources.length,
    Resources,
  }
  return changed?.(page) ?? page
}

function resourceRoutes(app: FastifyInstance, lab: Lab, endpoint: Endpoint): void {
  const { store } = lab
  const type = TYPES[endpoint]
  const unique = (): string[] => {
    if (endpoint === 'Users') return ['userName']
    return lab.profile.uniqueGroupNames ? ['displayName'] : []
  }
  const read = (body: unknown, method: Method): Json => {
    const changed = isObject(body) ? lab.profile.body?.(body, { endpoint, method }) : undefined
    return readResource(type, changed ?? body)
  }
  const written = (resource: Resource, method: Method): void =>
    lab.profile.written?.(store, resource, { endpoint, method })

  const answer = (
    request: FastifyRequest,
    reply: FastifyReply,
    resource: Resource,
    status = 200,
  ) => {
    const body = present(lab, endpoint, resource, request)
    reply.header('etag', resource.meta.version)
    if (body.id !== undefined) reply.header('location', locationOf(lab, endpoint, resource.id))
    return send(lab, reply, status, body)
  }

  app.get(`/${endpoint}`, (request, reply) => send(lab, reply, 200, list(lab, endpoint, request)))

  app.post(`/${endpoint}`, (request, reply) => {
    const id = lab.profile.newId?.(store.writes + 1) ?? randomUUID()
    const resource = store.insert(endpoint, id, read(request.body, 'POST'), unique())
    written(resource, 'POST')
    return answer(request, reply, resource, lab.profile.statuses?.created ?? 201)
  })

  app.get<ById>(`/${endpoint}/:id`, (request, reply) => {
    const resource = store.get(endpoint, request.params.id)
    const known = request.headers['if-none-match']
    if (known !== undefined && namesVersion(known, resource)) return reply.code(304).send()
    return answer(request, reply, resource)
  })

  app.put<ById>(`/${endpoint}/:id`, (request, reply) => {
    const { id } = request.params
    checkVersion(request, store.get(endpoint, id))
    const resource = store.save(endpoint, id, read(request.body, 'PUT'), unique())
    written(resource, 'PUT')
    return answer(request, reply, resource)
  })

  app.patch<ById>(`/${endpoint}/:id`, (request, reply) => {
    const { noPatch, operations: changed, statuses } = lab.profile
    if (noPatch) throw new ScimError(501, 'PATCH is not supported')
    const { id } = request.params
    const old = store.get(endpoint, id)
    checkVersion(request, old)
    const operations = readOperations(request.body)
    const next = applyPatch(type, old, changed?.(operations, endpoint) ?? operations)
    const resource = store.save(endpoint, id, next, unique())
    written(resource, 'PATCH')
    if (endpoint === 'Groups' && statuses?.patchedGroup === 204) return reply.code(204).send()
    return answer(request, reply, resource)
  })

  app.delete<ById>(`/${endpoint}/:id`, (request, reply) => {
    const { id } = request.params
    const { deleteAbsent = 404 } = lab.profile.statuses ?? {}
    if (!(endpoint === 'Users' ? store.users : store.groups).has(id))
      throw new ScimError(deleteAbsent, `${endpoint} has no ${id}`)
    checkVersion(request, store.get(endpoint, id))
    store.remove(endpoint, id)
    return reply.code(204).send()
  })
}

function discoveryRoutes(app: FastifyInstance, lab: Lab): void {
  const checkPresent = () => {
    if (lab.profile.noDiscovery) throw new ScimError(404, 'Not found')
  }
  app.get('/ServiceProviderConfig', (_, reply) => {
    checkPresent()
    return send(lab, reply, 200, providerConfig(lab.url, lab.profile))
  })
  for (const [name, documents] of Object.entries({
    ResourceTypes: resourceTypes,
    Schemas: schemaDocuments,
  })) {
    app.get(`/${name}`, (_, reply) => {
      checkPresent()
      const Resources = documents(lab.url)
      const totalResults = Resources.length
      return send(lab, reply, 200, { schemas: [URNS.list], totalResults, Resources })
    })
    app.get<ById>(`/${name}/:id`, ({ params: { id } }, reply) => {
      checkPresent()
      const found = documents(lab.url).find((document) => document.id === id)
      if (!found) throw new ScimError(404, `${name} has no ${id}`)
      return send(lab, reply, 200, found)
    })
  }
}

function registerErrors(app: FastifyInstance, lab: Lab): void {
  app.setErrorHandler((error: Error & { statusCode?: number }, _, reply) => {
    const { statuses } = lab.profile
    if (!(error instanceof ScimError)) {
      const status = error.statusCode ?? 500
      const scimType = status === 400 ? 'invalidSyntax' : undefined
      return send(lab, reply, status, errorBody(status, messageOf(error), scimType))
    }
    const { scimType, message } = error
    const status = (scimType === 'uniqueness' && statuses?.duplicate) || error.status
    return send(lab, reply, status, errorBody(status, message, scimType))
  })
  app.setNotFoundHandler(({ url }, reply) => {
    const status = lab.profile.statuses?.unknownPath ?? 404
    return send(lab, reply, status, errorBody(status, `There is no ${url}`))
  })
}

export const scimRoutes: FastifyPluginAsync<{ lab: Lab }> = async (app, { lab }) => {
  registerErrors(app, lab)
  const json = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>(
    ['application/scim+json', 'application/json'],
    { parseAs: 'string' },
    // DELETE often comes with the type and without a body.
    (request, body, done) => (body === '' ? done(null, undefined) : json(request, body, done)),
  )
  discoveryRoutes(app, lab)
  resourceRoutes(app, lab, 'Users')
  resourceRoutes(app, lab, 'Groups')
}
