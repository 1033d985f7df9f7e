import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Db } from './db.ts'
import { unauthenticated } from './errors.ts'
import type { Queue } from './jobs/queue.ts'
import { sameSecret } from './secrets.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer lasts for as long as the client stays. */
    longLived?: true
  }
}

export interface Metrics {
  registry: Registry
  eventsWritten: Counter<'service'>
  untrustedProxy: Gauge
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
    help: '1 once a proxy was noticed that GATEHOUSE_TRUSTED_PROXIES does not name',
    registers: [registry],
  })
  return { registry, eventsWritten, untrustedProxy }
}

/** Request durations by route, the pool, the queue, the process; Prometheus text at /metrics. */
export function registerMetrics(
  app: FastifyInstance,
  { registry }: Metrics,
  db: Db,
  queueDepths: Queue['depths'],
  token: string | undefined,
): void {
  const duration = new Histogram({
    name: 'gatehouse_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  // By a name of its own, so that the labels need not be hashed for every request.
  const series = new Map<string, ReturnType<typeof duration.labels>>()
  app.addHook('onResponse', (request, reply, done) => {
    // The pattern, not the address: ids would make a series each.
    const { method, routeOptions } = request
    // How long somebody listens says nothing about the service; a refusal does.
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
    help: 'Connections of the pool',
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

  app.get('/metrics', { config: { public: true } }, async (request, reply) => {
    if (
      token !== undefined &&
      !sameSecret(request.headers.authorization ?? '', `Bearer ${token}`)
    ) {
      throw unauthenticated('metrics_token', 'Unauthorized: /metrics wants its bearer token')
    }
    connections.set({ state: 'idle' }, db.pool.idleCount)
    connections.set({ state: 'busy' }, db.pool.totalCount - db.pool.idleCount)
    connections.set({ state: 'waiting' }, db.pool.waitingCount)
    for (const { name, waiting, active, failed, oldestSeconds } of await queueDepths().catch(
      () => [],
    )) {
      jobs.set({ queue: name, state: 'waiting' }, waiting)
      jobs.set({ queue: name, state: 'active' }, active)
      jobs.set({ queue: name, state: 'failed' }, failed)
      age.set({ queue: name }, oldestSeconds)
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}
