import { createHash, type Hash } from 'node:crypto'
import { Transform } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { SYSTEM_SCOPES } from '../admins/index.ts'
import type { Principal } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import { forbidden, unauthenticated } from '../platform/errors.ts'
import type { Authenticate } from '../platform/http/authorize.ts'
import { sha256 } from '../platform/secrets.ts'
import { ifThereIsRoom } from '../platform/storage.ts'
import { findSigner, findSystemKeys, rememberBody, type SignerRow } from './key-store.ts'
import { isSignedBy, parseAuthorization, parseDate, signingString, WINDOW_MS } from './signature.ts'
import { touchSystem } from './store.ts'

/**
 * Allowlist of endpoints for a signing system, with the parameter that must be its own id. The list is the
 * specification's; our own agent uses the paths under /agent.
 */
const ENDPOINTS = new Map<string, string | null>([
  ['GET /api/systems/:id', 'id'],
  ['PUT /api/systems/:id', 'id'],
  ['DELETE /api/systems/:id', 'id'],
  ['GET /api/v2/systems/:system_id/memberof', 'system_id'],
  ['GET /api/v2/systems/:system_id/associations', 'system_id'],
  ['POST /api/v2/systems/:system_id/associations', 'system_id'],
  ['GET /api/v2/systems/:system_id/users', 'system_id'],
  // The member is named in the body: see checkMember.
  ['POST /api/v2/systemgroups/:group_id/members', null],
])
const MEMBERS = 'POST /api/v2/systemgroups/:group_id/members'
const AGENT = '/agent/'

const endpointOf = ({ method, routeOptions }: FastifyRequest): string =>
  `${method} ${routeOptions.url?.replace(/\/$/, '') ?? ''}`

/** Unknown systems and wrong signatures look the same, so that ids cannot be probed. */
const refused = () =>
  unauthenticated('signature_invalid', 'Unauthorized: the signature is not valid for this system')

function checkEligible(signer: SignerRow): void {
  if (signer.os_family.toLowerCase() !== 'linux') {
    throw unauthenticated(
      'system_not_linux',
      'Unauthorized: system context is available only to Linux systems',
    )
  }
  const automated =
    signer.provisioner_type === 'mdm' ||
    signer.dep === true ||
    signer.enrollment_type === 'automated device'
  if (automated || signer.provisioner_type === 'user') {
    const how = automated ? 'automatic device enrollment' : 'the user portal'
    throw unauthenticated(
      'system_not_eligible',
      `Unauthorized: system context is not available to systems enrolled through ${how}`,
    )
  }
}

function checkEndpoint(request: FastifyRequest, systemId: string): void {
  const endpoint = endpointOf(request)
  if (request.routeOptions.url?.startsWith(AGENT)) return
  const parameter = ENDPOINTS.get(endpoint)
  if (parameter === undefined) {
    throw unauthenticated(
      'system_context_unsupported',
      'Unauthorized: this endpoint is not supported for system-context authentication',
    )
  }
  if (parameter === null) return
  if ((request.params as Record<string, string>)[parameter] !== systemId) {
    throw unauthenticated(
      'another_system',
      'Unauthorized: a system can only sign requests about itself',
    )
  }
}

/** Node keeps the first of duplicate headers; a proxy in front may have checked the other. */
function single(request: FastifyRequest, name: string): string | undefined {
  const names = request.raw.rawHeaders.filter((_, at) => at % 2 === 0)
  const times = names.filter((header) => header.toLowerCase() === name).length
  if (times > 1)
    throw unauthenticated('signature_malformed', `Unauthorized: ${name} was sent more than once`)
  return request.headers[name] as string | undefined
}

interface Signed {
  signature: Buffer
  expiresAt: Date
  body: Hash
}
const signedRequests = new WeakMap<FastifyRequest, Signed>()

async function bySignature(db: Db, request: FastifyRequest, now: number): Promise<Principal> {
  const { systemId, signature } = parseAuthorization(single(request, 'authorization')!)
  const date = single(request, 'date')
  const instant = parseDate(date, now)
  const keys = await findSystemKeys(db, systemId)
  const text = signingString(request.raw.method!, request.originalUrl, date!)
  const key = keys.find(({ public_key }) => isSignedBy(public_key, text, signature))
  const signer = key && (await findSigner(db.tenant(key.tenant), key.tenant, systemId))
  if (!key || !signer) throw refused()
  checkEligible(signer)
  checkEndpoint(request, systemId)
  if (signer.stale)
    await ifThereIsRoom(touchSystem(db.tenant(key.tenant), key.tenant, systemId, request.ip))
  const expiresAt = new Date(instant + WINDOW_MS + 1000)
  signedRequests.set(request, { signature, expiresAt, body: createHash('sha256') })
  return {
    initiator: { type: 'system', id: systemId, name: signer.hostname || signer.display_name },
    id: systemId,
    systemId,
    authMethod: 'signature',
    scopes: new Set(SYSTEM_SCOPES),
    roleNames: [],
    providerId: null,
    homeId: key.tenant,
    organizationIds: new Set([key.tenant]),
    mfa: false,
    expiresAt: null,
  }
}

/** Authenticates a signed request of a system; other requests go to `otherwise`. */
export function createSystemAuthenticate(db: Db, otherwise: Authenticate): Authenticate {
  return (request) => {
    const { authorization } = request.headers
    const signed =
      authorization !== undefined &&
      /^signature\s/i.test(authorization) &&
      request.headers['x-api-key'] === undefined
    return signed ? bySignature(db, request, Date.now()) : otherwise(request)
  }
}

/** The specification rejects a member that is a different system. */
function checkMember(request: FastifyRequest): void {
  if (endpointOf(request) !== MEMBERS) return
  const { type, id } = (request.body ?? {}) as { type?: unknown; id?: unknown }
  if (type !== 'system' || id !== request.caller.systemId) {
    throw forbidden('another_system', 'Forbidden: a system can only change its own membership')
  }
}

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/** The body is not signed, so each signature is bound to one body. An identical repeat is served. */
async function checkBody(db: Db, request: FastifyRequest, signed: Signed): Promise<void> {
  if (!WITH_BODY.has(request.method)) return
  const { organizationId } = request.caller
  const hash = signed.body.digest()
  const first = await rememberBody(
    db.tenant(organizationId),
    organizationId,
    // Machines cloned from one disk share a key, and so produce the same signatures.
    sha256(Buffer.concat([Buffer.from(request.caller.id), signed.signature])),
    hash,
    signed.expiresAt,
  )
  if (!first.equals(hash)) {
    throw unauthenticated(
      'signature_reused',
      'Unauthorized: this signature was used with another body; sign again with the current Date',
    )
  }
}

/** Hashes the bodies of signed requests. Must run before any route is registered. */
export function registerSystemContext(app: FastifyInstance, db: Db): void {
  app.addHook('preParsing', (request, _, payload, done) => {
    const signed = signedRequests.get(request)
    if (!signed) return done(null, payload)
    const watched = new Transform({
      transform(chunk, _, next) {
        signed.body.update(chunk)
        next(null, chunk)
      },
    })
    payload.once('error', (error) => watched.destroy(error))
    done(null, payload.pipe(watched))
  })
  app.addHook('preHandler', (request, _, done) => {
    const signed = signedRequests.get(request)
    if (!signed) return done()
    checkBody(db, request, signed)
      .then(() => checkMember(request))
      .then(() => done(), done)
  })
}
