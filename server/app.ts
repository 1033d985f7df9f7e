import type { FastifyInstance } from 'fastify'
import {
  type AdminContext,
  administratorRoutes,
  adminJobs,
  CredentialCache,
  createAuthenticate,
  deleteExpiredJob,
  linkNewOrganization,
  oauthRoutes,
  providerAdministratorRoutes,
  roleRoutes,
  sessionRoutes,
} from './admins/index.ts'
import {
  dropArrivalsJob,
  type ForwardingContext,
  ForwardingWorker,
  forwarderRoutes,
  forwardingJobs,
} from './forwarding/index.ts'
import {
  createPartitionsJob,
  dropExpiredJob,
  exportRoutes,
  GeoIpDatabase,
  ingestRoutes,
  insightsJobs,
  insightsRoutes,
  makeDigestsJob,
  observeEvents,
  retentionRoutes,
  savedSearchRoutes,
  streamRoutes,
  useGeoIp,
} from './insights/index.ts'

import { organizationRoutes, providerRoutes } from './organizations/index.ts'
import { type Config, loadConfig } from './platform/config.ts'
import { type Db, openDb } from './platform/db.ts'
import { registerHealth } from './platform/health.ts'
import { registerAuthorization } from './platform/http/authorize.ts'
import { registerContract } from './platform/http/contract-routes.ts'
import { collectOperations, type Operation } from './platform/http/openapi.ts'
import { createServer } from './platform/http/server.ts'
import type { JobDefinition, SendJob } from './platform/jobs/definition.ts'
import { openQueue, type Queue } from './platform/jobs/queue.ts'
import { createLog, type Logger } from './platform/log.ts'
import { mailJob, mailPoster, sendMailJob } from './platform/mail.ts'
import { createMetrics, registerMetrics } from './platform/metrics.ts'
import { Allowlist } from './platform/outbound/allowlist.ts'
import { Outbound } from './platform/outbound/client.ts'
import type { Sealer } from './platform/secrets.ts'
import { registerTracing } from './platform/tracing.ts'
import {
  agentRoutes,
  connectKeyRoutes,
  createSystemAuthenticate,
  purgeSystemsJob,
  registerSystemContext,
  type SystemContext,
  systemJobs,
  systemRoutes,
} from './systems/index.ts'
import {
  bulkUserRoutes,
  scheduledStateRoutes,
  type UserContext,
  userAccountRoutes,
  userJobDefinitions,
  userJobs,
  userRoutes,
} from './users/index.ts'

// The composition root: the only file that knows every slice.

/** Every job of every slice; each must have a handler below. */
export const jobDefinitions: JobDefinition[] = [
  createPartitionsJob,
  dropExpiredJob,
  deleteExpiredJob,
  dropArrivalsJob,
  makeDigestsJob,
  sendMailJob,
  ...userJobDefinitions,
  purgeSystemsJob,
] as unknown as JobDefinition[]

export interface App {
  http: FastifyInstance
  queue: Queue
  forwarding: ForwardingWorker
  cache: CredentialCache
  context: AdminContext
  operations: Operation[]
}

export interface AppParts {
  config: Config
  db: Db
  /** Connections of their own for searches: a slow one must not keep others from their work. */
  searchDb: Db
  log: Logger
  sealer: Sealer
  /** For tests: called on the bare server before any route is registered. */
  prepare?: (http: FastifyInstance) => void
}

interface HttpParts {
  config: Config
  db: Db
  searchDb: Db
  log: Logger
  context: AdminContext
  forwarding: ForwardingContext
  users: UserContext
  queueDepths: Queue['depths']
  prepare?: ((http: FastifyInstance) => void) | undefined
}

async function registerApi(
  http: FastifyInstance,
  { db, searchDb, forwarding, users }: Pick<HttpParts, 'db' | 'searchDb' | 'forwarding' | 'users'>,
  context: AdminContext,
  operations: Operation[],
) {
  await http.register(insightsRoutes, { prefix: '/insights/directory/v1', db: searchDb })
  await http.register(exportRoutes, { prefix: '/insights/directory/v1', db: searchDb })
  await http.register(savedSearchRoutes, { prefix: '/insights/directory/v1', db })
  await http.register(ingestRoutes, { prefix: '/insights/directory/v1', db })
  await http.register(retentionRoutes, { prefix: '/insights/directory/v1', db })
  const authenticate = createAuthenticate(db, context.cache, { touch: false })
  await http.register(streamRoutes, { prefix: '/insights/directory/v1', db, authenticate })
  await http.register(forwarderRoutes, { prefix: '/insights/directory/v1', context: forwarding })
  await http.register(organizationRoutes, { prefix: '/api', db })
  const onOrganizationCreated = linkNewOrganization(context)
  await http.register(providerRoutes, { prefix: '/api/v2', db, onOrganizationCreated })
  await http.register(administratorRoutes, { prefix: '/api', context })
  await http.register(providerAdministratorRoutes, { prefix: '/api/v2', context })
  await http.register(roleRoutes, { prefix: '/api/v2', context })
  const { sealer, publicUrl } = context
  const systems: SystemContext = { db, sealer, publicUrl, onChanged: async () => {} }
  await http.register(systemRoutes, { prefix: '/api', context: systems })
  await http.register(connectKeyRoutes, { prefix: '/api/v2', context: systems })
  await http.register(agentRoutes, { context: systems })
  await http.register(userRoutes, { prefix: '/api', context: users })
  await http.register(userAccountRoutes, { prefix: '/api', context: users })
  await http.register(bulkUserRoutes, { prefix: '/api/v2', context: users })
  await http.register(scheduledStateRoutes, { prefix: '/api/v2', context: users })
  await http.register(oauthRoutes, { context })
  await http.register(sessionRoutes, { context })
  registerContract(http, operations)
}

async function connectGeoIp(http: FastifyInstance, config: Config, log: Logger): Promise<void> {
  const path = config.geoipDatabase
  const database = path === undefined ? null : await GeoIpDatabase.open(path, log)
  useGeoIp(database)
  http.addHook('onClose', async () => database?.close())
}

async function createHttp(parts: HttpParts) {
  const { config, db, log, context, queueDepths, prepare } = parts
  const metrics = createMetrics()
  observeEvents((service) => metrics.eventsWritten.inc({ service }))
  const http = await createServer(config, log)
  await connectGeoIp(http, config, log)
  prepare?.(http)
  registerTracing(http)
  registerAuthorization(http, createSystemAuthenticate(db, createAuthenticate(db, context.cache)))
  registerSystemContext(http, db)
  const operations = collectOperations(http)
  registerMetrics(http, metrics, db, queueDepths, config.metricsToken)
  registerHealth(http, db)

  // A worker answers for its health only.
  if (config.role !== 'worker') await registerApi(http, parts, context, operations)
  await http.ready()
  return { http, operations }
}

export async function createApp(parts: AppParts): Promise<App> {
  const { config, db, searchDb, log, sealer, prepare } = parts
  // Jobs may send jobs, so this is there before the queue.
  const send: SendJob = (tx, definition, payload, options) =>
    queue.send(tx, definition, payload, options)
  const postMail = mailPoster(sealer, send)
  const { publicUrl } = config
  const users: UserContext = { db, sealer, postMail, send, publicUrl, listeners: [] }
  const jobs = [
    ...insightsJobs(db),
    ...adminJobs(db),
    ...systemJobs(db),
    ...forwardingJobs(db),
    ...userJobs(users),
    mailJob(db, sealer, config, log),
  ]
  const queue = await openQueue(db, log, jobDefinitions, jobs)
  const cache = new CredentialCache()
  const context: AdminContext = { db, cache, sealer, postMail, publicUrl }
  const outbound = new Outbound({ allowlist: new Allowlist(config.outboundAllow) })
  const forwarding = { db, searchDb, sealer, outbound }
  const { http, operations } = await createHttp({
    config,
    db,
    searchDb,
    log,
    context,
    forwarding,
    users,
    queueDepths: queue.depths,
    prepare,
  })
  return {
    http,
    queue,
    forwarding: new ForwardingWorker(forwarding, log),
    cache,
    context,
    operations,
  }
}

/** The routes alone, for the generated contract: nothing connects to a database until it is asked. */
export async function describeRoutes(): Promise<Operation[]> {
  const db = openDb({})
  const context = { db, cache: new CredentialCache(), publicUrl: '' } as AdminContext
  const log = createLog('silent')
  const { operations } = await createHttp({
    config: loadConfig({}),
    db,
    searchDb: db,
    log,
    context,
    forwarding: {} as ForwardingContext,
    users: {} as UserContext,
    queueDepths: async () => [],
  })
  return operations
}
