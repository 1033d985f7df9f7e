import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller, Principal } from '../caller.ts'
import { AppError, forbidden, invalid, notFound, unauthenticated } from '../errors.ts'
import { isId } from '../ids.ts'
import { checkWholeProvider } from '../rights.ts'

/**
 * Which tenant a route acts on.
 *  - `header`: x-org-id; required only for callers that manage several organizations.
 *  - `header-or-provider`: the same, or x-provider-id for records of the provider itself; requires access to all of its
 *    organizations.
 *  - `several`: like `header-or-provider`, with any number of organizations, repeated or comma-separated.
 *  - `path`: the organization in the path; x-org-id is optional and must match.
 *  - `home`: the caller's own organization or provider; x-org-id is rejected.
 */
export type TenantRule = 'header' | 'header-or-provider' | 'several' | 'path' | 'home'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** One of these suffices; an empty list accepts any valid credential. */
    scopes?: readonly string[]
    /** And one of each of these: for routes that reach what another area protects. */
    besides?: readonly (readonly string[])[]
    /** No credential required (health, sign-in, API reference). */
    public?: true
    /** Admits any valid credential: the answer to one without the scopes is shorter. */
    briefWithoutScopes?: true
    tenant?: TenantRule
    /** Allowed before the second factor, for routes of the session itself. */
    beforeSecondFactor?: true
    operationId?: { legacy?: string }
  }
  interface FastifyRequest {
    caller: Caller
  }
}

/** Authenticates the caller; null when the request carries no credential. */
export type Authenticate = (request: FastifyRequest) => Principal | null | Promise<Principal | null>

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  const text = Array.isArray(value) ? value.join(',') : value
  // Some clients always send the header; an empty one counts as absent.
  return text === undefined || text.trim() === '' ? undefined : text.trim()
}

function organizationOf(principal: Principal, id: string): string {
  if (!isId(id)) throw invalid('org_id_malformed', 'x-org-id must be 24 hexadecimal characters')
  // Unknown and unmanaged ids get the same answer, so that ids cannot be probed.
  if (!principal.organizationIds.has(id))
    throw notFound('organization_not_found', 'organization not found')
  return id
}

function onlyOrganization(principal: Principal): string {
  const [only, another] = principal.organizationIds
  if (only === undefined || another !== undefined) {
    throw unauthenticated('org_id_required', 'x-org-id is required for multi-tenant administrators')
  }
  return only
}

function providerOf(principal: Principal, id: string): string {
  if (!isId(id))
    throw invalid('provider_id_malformed', 'x-provider-id must be 24 hexadecimal characters')
  if (principal.providerId !== id) throw notFound('provider_not_found', 'provider not found')
  checkWholeProvider(principal)
  return id
}

const orgIdUnsupported = () =>
  forbidden('org_id_unsupported', 'x-org-id included on unsupported route')

/** Design §4: x-org-id is rejected below these paths, even where no route exists. */
const WITHOUT_ORG_ID = /^\/api\/(v2\/(providers|administrators|integrations)|users)(\/|\?|$)/i

/** For paths without a route. */
export function refuseOrgId(request: FastifyRequest): void {
  if (WITHOUT_ORG_ID.test(request.url) && header(request, 'x-org-id') !== undefined)
    throw orgIdUnsupported()
}

/** The tenant of a request, by the rule of its route. */
function chooseTenant(
  rule: TenantRule,
  principal: Principal,
  request: FastifyRequest,
): string | string[] {
  const orgId = header(request, 'x-org-id')
  switch (rule) {
    case 'home':
      if (orgId !== undefined) {
        throw orgIdUnsupported()
      }
      return principal.homeId
    case 'path': {
      const { id = '' } = request.params as { id?: string }
      if (orgId !== undefined && !isId(orgId)) organizationOf(principal, orgId)
      if (orgId !== undefined && orgId !== id) {
        throw invalid('org_id_differs', 'x-org-id differs from the organization in the path')
      }
      if (!principal.organizationIds.has(id))
        throw notFound('organization_not_found', 'organization not found')
      return id
    }
    case 'several':
    case 'header-or-provider': {
      const providerId = header(request, 'x-provider-id')
      if (providerId !== undefined && orgId === undefined) return providerOf(principal, providerId)
      if (orgId === undefined) return onlyOrganization(principal)
      if (rule === 'header-or-provider') return organizationOf(principal, orgId)
      const ids = new Set(
        orgId
          .split(',')
          .map((id) => id.trim())
          .filter((id) => id !== ''),
      )
      return [...ids].map((id) => organizationOf(principal, id))
    }
    case 'header':
      return orgId === undefined ? onlyOrganization(principal) : organizationOf(principal, orgId)
  }
}

/** Deny by default: a route without `scopes` or `public` fails to register. */
export function registerAuthorization(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest('caller', null as unknown as Caller)

  app.addHook('onRoute', ({ config, method, path }) => {
    if (!config?.public && !config?.scopes) {
      throw new Error(`Route ${method} ${path} declares neither scopes nor public`)
    }
  })

  const limit = app.hasDecorator('rateLimit') ? app.rateLimit() : undefined

  // Avoids a promise where possible: this runs for every request.
  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions
    if (config.public || request.is404) return done()
    // Refused requests do not reach the rate limit of the route, so they count here.
    const refuse = (error: Error) => {
      if (limit) limit.call(app, request, reply).then(() => done(error), done)
      else done(error)
    }
    const admitted = (principal: Principal | null) => {
      try {
        request.caller = admit(request, principal)
      } catch (error) {
        return refuse(error as Error)
      }
      done()
    }
    const found = authenticate(request)
    if (found instanceof Promise) found.then(admitted, refuse)
    else admitted(found)
  })
}

export const holdsOne = ({ scopes: held }: Principal, scopes: readonly string[]): boolean =>
  scopes.length === 0 || scopes.some((scope) => held.has(scope))

function requireOne(principal: Principal, scopes: readonly string[]): void {
  if (holdsOne(principal, scopes)) return
  throw forbidden('scope_missing', `Forbidden: requires one of these scopes: ${scopes.join(', ')}`)
}

/** Checks the credential, scopes and tenant that the route requires. */
function admit(request: FastifyRequest, principal: Principal | null): Caller {
  if (!principal)
    throw unauthenticated('credential_missing', 'Unauthorized: send an API key in x-api-key')
  const {
    scopes = [],
    besides,
    briefWithoutScopes,
    tenant = 'header',
  } = request.routeOptions.config
  if (!briefWithoutScopes) requireOne(principal, scopes)
  if (besides) for (const others of besides) requireOne(principal, others)
  const tenantIds = [chooseTenant(tenant, principal, request)].flat()
  const client = { ip: request.ip, userAgent: request.headers['user-agent'], requestId: request.id }
  return { ...principal, organizationId: tenantIds[0]!, tenantIds, client }
}

/** Repeats the checks of the route, for a response that outlives its request. */
export async function stillAdmitted(
  request: FastifyRequest,
  authenticate: Authenticate,
): Promise<boolean> {
  try {
    const { tenantIds } = admit(request, await authenticate(request))
    return request.caller.tenantIds.every((id) => tenantIds.includes(id))
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'unavailable') return false
    throw error
  }
}
