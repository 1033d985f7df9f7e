import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { createAuthenticate, renewAdministratorLink } from './admins/index.ts'
import { type Contexts, createContexts } from './contexts.ts'
import { ForwardingWorker } from './forwarding/index.ts'
import { GeoIpDatabase, type OwnEvent } from './insights/index.ts'
import { jobDefinitions, jobsOf } from './jobs.ts'
import { type Config, loadConfig } from './platform/config.ts'
import { type Db, openDb, type Recording } from './platform/db/index.ts'
import { registerHealth } from './platform/health.ts'
import { registerAuthorization } from './platform/http/authorize.ts'
import { collectOperations, type Operation } from './platform/http/openapi.ts'
import { createServer } from './platform/http/server.ts'
import { watchForUntrustedProxy } from './platform/http/untrusted-proxy.ts'
import type { SendJob } from './platform/jobs/definition.ts'
import { openQueue, type Queue } from './platform/jobs/queue.ts'
import { createLog, type Logger } from './platform/log.ts'
import { mailJob, type RenewLink } from './platform/mail.ts'
import { createMetrics, type Metrics, registerMetrics } from './platform/metrics.ts'
import type { Sealer } from './platform/secrets.ts'
import { Storage } from './platform/storage.ts'
import { registerTracing } from './platform/tracing.ts'
import { ProvisioningWorker } from './provisioning/index.ts'
import { registerRoutes } from './routes.ts'
import { createSystemAuthenticate, registerSystemContext } from './systems/index.ts'
import { renewPasswordLink } from './users/index.ts'

// The composition root, with contexts.ts, routes.ts and jobs.ts: the only files that know every slice.

interface App {
  /** The given one, with the recording of events that the configuration asks for. */
  db: Db
  http: FastifyInstance
  queue: Queue
  forwarding: ForwardingWorker
  provisioning: ProvisioningWorker
  contexts: Contexts
  operations: Operation[]
}

/** Not part of the service (lab/); the command line passes them in. Served if the public URL is on localhost. */
export interface Labs {
  testSp?: FastifyPluginAsync<{ sp: string; idp: string }> | undefined
  /** With the demo only. */
  scim?: FastifyPluginAsync | undefined
}

interface AppParts {
  config: Config
  db: Db
  /** A separate pool for searches, so that slow ones do not block other requests. */
  searchDb: Db
  log: Logger
  sealer: Sealer
  labs?: Labs | undefined
  /** The disk of the embedded database; absent with an external one. */
  storage?: Storage
  /** For tests: called before any route is registered. */
  prepare?: (http: FastifyInstance) => void
  /** For tests: called with every event that the service records. */
  onEvent?: (event: OwnEvent) => void
}

interface RecordingParts extends Pick<AppParts, 'config' | 'log'> {
  metrics: Metrics
  geoip: GeoIpDatabase | null
  onEvent: AppParts['onEvent']
}

const recordingOf = ({ config, log, metrics, geoip, onEvent }: RecordingParts): Recording => ({
  settlingSeconds: config.settlingSeconds,
  versionAsText: config.eventVersion === 'text',
  locate: (ip) => geoip?.lookup(ip),
  recorded(event: OwnEvent) {
    metrics.eventsWritten.inc({ service: event.service })
    onEvent?.(event)
  },
  damaged: ({ organizationId, id }, part, error) =>
    log.error({ err: error, organizationId, segment: id, ...part }, 'events are damaged'),
})

interface HttpParts extends Omit<AppParts, 'sealer' | 'prepare' | 'storage' | 'onEvent'> {
  metrics: Metrics
  geoip: GeoIpDatabase | null
  storage: Storage
  contexts: Contexts
  queueDepths: Queue['depths']
  prepare?: AppParts['prepare'] | undefined
}

async function createHttp(parts: HttpParts) {
  const { config, db, searchDb, log, contexts, queueDepths, storage, prepare } = parts
  const { metrics, geoip, labs } = parts
  const http = await createServer(config, log)
  http.addHook('onClose', async () => geoip?.close())
  prepare?.(http)
  const warnings = watchForUntrustedProxy(http, log, () => metrics.untrustedProxy.set(1))
  registerTracing(http)
  const authenticate = createAuthenticate(contexts.admins)
  registerAuthorization(http, createSystemAuthenticate(db, authenticate))
  registerSystemContext(http, db)
  const operations = collectOperations(http)
  registerMetrics(http, metrics, { config, db, queueDepths, storage })
  registerHealth(http, {
    db,
    storage,
    warnings,
    partnerQueues: jobDefinitions.filter(({ partner }) => partner).map(({ name }) => name),
    sendsMail: config.smtpUrl !== undefined,
    region: config.region,
  })

  // A worker serves only health and metrics.
  if (config.role !== 'worker')
    await registerRoutes(http, { config, db, searchDb, contexts, operations })
  if (config.development && config.role !== 'worker') {
    const sp = `${config.publicUrl}/saml2/test-sp`
    if (labs?.testSp)
      await http.register(labs.testSp, { prefix: '/saml2/test-sp', sp, idp: config.publicUrl })
    if (labs?.scim) await http.register(labs.scim, { prefix: '/lab' })
  }
  await http.ready()
  return { http, operations }
}

const renewLink =
  (db: Db): RenewLink =>
  (link, renewal) =>
    (link.for === 'user' ? renewPasswordLink : renewAdministratorLink)(db, link, renewal)

export async function createApp(parts: AppParts): Promise<App> {
  const { config, log, sealer, prepare, onEvent, labs } = parts
  const storage = parts.storage ?? new Storage(null, 0, log)
  // Job handlers send jobs, so this exists before the queue does.
  const send: SendJob = (tx, definition, payload, options) =>
    queue.send(tx, definition, payload, options)
  const metrics = createMetrics()
  const path = config.geoipDatabase
  const geoip = path === undefined ? null : await GeoIpDatabase.open(path, log)
  const recording = recordingOf({ config, log, metrics, geoip, onEvent })
  const db = parts.db.withRecording(recording)
  const searchDb = parts.searchDb.withRecording(recording)
  const observeRemoval = (application: string, ms: number) =>
    metrics.removals.observe({ application }, ms / 1000)
  const contexts = createContexts({ config, db, searchDb, sealer, send, observeRemoval })
  const queue = await openQueue(db, log, jobDefinitions, [
    ...jobsOf(db, contexts, log),
    mailJob(db, sealer, config, log, renewLink(db)),
  ])
  const { http, operations } = await createHttp({
    metrics,
    geoip,
    config,
    db,
    searchDb,
    log,
    contexts,
    queueDepths: queue.depths,
    storage,
    prepare,
    labs,
  })
  const forwarding = new ForwardingWorker(contexts.forwarding, log)
  const provisioning = new ProvisioningWorker(contexts.provisioning, log)
  return { db, http, queue, forwarding, provisioning, contexts, operations }
}

/** The routes alone, for the generated contract; connects to no database. */
export async function describeRoutes(): Promise<Operation[]> {
  const db = openDb({})
  const config = loadConfig({})
  const log = createLog('silent')
  const contexts = createContexts({
    config,
    db,
    searchDb: db,
    sealer: null as unknown as Sealer,
    send: async () => {},
    observeRemoval: () => {},
  })
  const { operations } = await createHttp({
    metrics: createMetrics(),
    geoip: null,
    config,
    db,
    searchDb: db,
    log,
    contexts,
    queueDepths: async () => [],
    storage: new Storage(null, 0, log),
  })
  return operations
}
