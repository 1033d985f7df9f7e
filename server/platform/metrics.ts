import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from './config.ts'
import type { Db } from './db/index.ts'
import { forbidden, unauthenticated } from './errors.ts'
import type { Queue } from './jobs/queue.ts'
import { sameSecret } from './secrets.ts'
import type { Storage } from './storage.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response lasts as long as the client stays connected. */
    longLived?: true
  }
}

export interface Metrics {
  registry: Registry
  eventsWritten: Counter<'service'>
  untrustedProxy: Gauge
  removals: Histogram<'application'>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const eventsWritten = new Counter({
    name: 'gatehouse_events_written_total',
    help: 'Audit events committed by this process',
    labelNames: ['service'],
    registers: [registry],
  })
  const untrustedProxy = new Gauge({
    name: 'gatehouse_untrusted_proxy',
    help: '1 once a request came through a proxy that GATEHOUSE_TRUSTED_PROXIES does not list',
    registers: [registry],
  })
  const removals = new Histogram({
    name: 'gatehouse_deprovision_seconds',
    help: 'Time from the end of an access to the confirmation of the provider',
    labelNames: ['application'],
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400],
    registers: [registry],
  })
  return { registry, eventsWritten, untrustedProxy, removals }
}

interface MetricsParts {
  config: Pick<Config, 'metrics' | 'metricsToken'>
  db: Db
  queueDepths: Queue['depths']
  storage: Storage
}

/** Headers of proxies: the client is not on this machine although the connection is local. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']

const isLocal = ({ raw: { socket }, headers }: FastifyRequest): boolean =>
  /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '') &&
  !FORWARDED.some((name) => name in headers)

/** With a token, everyone needs it. Without one, local requests only, unless configured otherwise. */
function admit(request: FastifyRequest, { metrics, metricsToken }: MetricsParts['config']): void {
  if (metricsToken !== undefined) {
    if (sameSecret(request.headers.authorization ?? '', `Bearer ${metricsToken}`)) return
    throw unauthenticated('metrics_token', 'Unauthorized: /metrics requires its bearer token')
  }
  if (metrics === 'open' || isLocal(request)) return
  const message =
    'Forbidden: /metrics is only available from this machine; set GATEHOUSE_METRICS_TOKEN or GATEHOUSE_METRICS=open to allow others'
  throw forbidden('metrics_closed', message)
}

/** Request durations by route, the pool, the queue, the process; Prometheus text at /metrics. */
export function registerMetrics(
  app: FastifyInstance,
  { registry }: Metrics,
  { config, db, queueDepths, storage }: MetricsParts,
): void {
  const duration = new Histogram({
    name: 'gatehouse_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  // Keyed by a string, so that the labels are not hashed for every request.
  const series = new Map<string, ReturnType<typeof duration.labels>>()
  app.addHook('onResponse', (request, reply, done) => {
    // The route pattern, not the URL: ids would create a series each.
    const { method, routeOptions } = request
    // The duration of a stream says nothing about the service; that of a refusal does.
    if (routeOptions.config.longLived && reply.statusCode < 400) return done()
    const route = routeOptions.url ?? 'none'
    const name = `${method} ${reply.statusCode} ${route}`
    let known = series.get(name)
    if (!known) {
      known = duration.labels({ method, route, status: reply.statusCode })
      series.set(name, known)
    }
    known.observe(reply.elapsedTime / 1000)
    done()
  })

  const connections = new Gauge({
    name: 'gatehouse_database_connections',
    help: 'Connections in the pool',
    labelNames: ['state'],
    registers: [registry],
  })
  const jobs = new Gauge({
    name: 'gatehouse_jobs',
    help: 'Jobs by queue and state',
    labelNames: ['queue', 'state'],
    registers: [registry],
  })
  const age = new Gauge({
    name: 'gatehouse_jobs_oldest_seconds',
    help: 'How long the oldest due job has waited',
    labelNames: ['queue'],
    registers: [registry],
  })

  const free = new Gauge({
    name: 'gatehouse_data_free_bytes',
    help: 'Free disk space of the data directory, with the embedded PostgreSQL',
    registers: [registry],
  })

  app.get('/metrics', { config: { public: true } }, async (request, reply) => {
    admit(request, config)
    const bytes = await storage.freeBytes().catch(() => null)
    if (bytes === null) free.remove()
    else free.set(bytes)
    connections.set({ state: 'idle' }, db.pool.idleCount)
    connections.set({ state: 'busy' }, db.pool.totalCount - db.pool.idleCount)
    connections.set({ state: 'waiting' }, db.pool.waitingCount)
    for (const { name: queue, oldestSeconds, ...depth } of await queueDepths().catch(() => [])) {
      for (const [state, number] of Object.entries(depth)) jobs.set({ queue, state }, number)
      age.set({ queue }, oldestSeconds)
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}
