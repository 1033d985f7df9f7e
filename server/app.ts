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
import { createPartitionsJob, insightsJobs, observeEvents } from './insights/index.ts'
import { organizationRoutes, providerRoutes } from './organizations/index.ts'
import type { Config } from './platform/config.ts'
import type { Db } from './platform/db.ts'
import { registerHealth } from './platform/health.ts'
import { registerAuthorization } from './platform/http/authorize.ts'
import { registerContract } from './platform/http/contract-routes.ts'
import { collectOperations, type Operation } from './platform/http/openapi.ts'
import { createServer } from './platform/http/server.ts'
import type { JobDefinition } from './platform/jobs/definition.ts'
import { openQueue, type Queue } from './platform/jobs/queue.ts'
import type { Logger } from './platform/log.ts'
import { mailJob, mailPoster, sendMailJob } from './platform/mail.ts'
import { createMetrics, registerMetrics } from './platform/metrics.ts'
import type { Sealer } from './platform/secrets.ts'
import { registerTracing } from './platform/tracing.ts'

// The composition root: the only file that knows every slice.

/** Every job of every slice; each must have a handler below. */
export const jobDefinitions: JobDefinition[] = [
  createPartitionsJob,
  deleteExpiredJob,
  sendMailJob,
] as unknown as JobDefinition[]

export interface App {
  http: FastifyInstance
  queue: Queue
  cache: CredentialCache
  context: AdminContext
  operations: Operation[]
}

export interface AppParts {
  config: Config
  db: Db
  log: Logger
  sealer: Sealer
  /** For tests: called on the bare server before any route is registered. */
  prepare?: (http: FastifyInstance) => void
}

export async function createApp({ config, db, log, sealer, prepare }: AppParts): Promise<App> {
  const queue = await openQueue(db, log, jobDefinitions, [
    ...insightsJobs(db),
    ...adminJobs(db),
    mailJob(db, sealer, config, log),
  ])
  const cache = new CredentialCache()
  const context: AdminContext = {
    db,
    cache,
    sealer,
    postMail: mailPoster(sealer, queue.send),
    publicUrl: config.publicUrl,
  }
  const metrics = createMetrics()
  observeEvents((service) => metrics.eventsWritten.inc({ service }))

  const http = await createServer(config, log)
  prepare?.(http)
  registerTracing(http)
  registerAuthorization(http, createAuthenticate(db, cache))
  const operations = collectOperations(http)
  registerMetrics(http, metrics, db, queue, config.metricsToken)
  registerHealth(http, db)

  await http.register(organizationRoutes, { prefix: '/api', db })
  await http.register(providerRoutes, {
    prefix: '/api/v2',
    db,
    onOrganizationCreated: linkNewOrganization,
  })
  await http.register(administratorRoutes, { prefix: '/api', context })
  await http.register(providerAdministratorRoutes, { prefix: '/api/v2', context })
  await http.register(roleRoutes, { prefix: '/api/v2', context })
  await http.register(oauthRoutes, { context })
  await http.register(sessionRoutes, { context })
  registerContract(http, operations)
  await http.ready()
  return { http, queue, cache, context, operations }
}
