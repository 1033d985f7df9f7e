import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { newDatabase } from '../database.ts'
import { until } from '../until.ts'
import { API_KEY, addressOf, newDataDirectory, type Service, startService } from './service.ts'

const CLIENTS = 12
/** Between the requests of a client: enough load, and the starts of the processes are not slowed down by it. */
const PAUSE_MS = 50
/** Before each restart, so that every client has connections to both processes. */
const MIN_REQUESTS = 200
/** Twice each of the two. */
const ROUNDS = 4

interface Backend {
  service: Service
  ready: boolean
  /** Requests in flight. */
  open: number
  agent: Agent
}

const QUERY = JSON.stringify({ service: ['all'], start_time: '2026-01-01T00:00:00Z', limit: 10 })
const REQUESTS = [
  { method: 'GET', path: '/api/organizations' },
  { method: 'POST', path: '/insights/directory/v1/events', body: QUERY },
  { method: 'GET', path: '/api/v2/roles' },
]

/** A minimal load balancer: sends nothing to processes that are not ready or closing. */
class Balancer {
  readonly backends: Backend[] = []
  #next = 0

  async add(service: Service): Promise<Backend> {
    const backend = { service, ready: true, open: 0, agent: new Agent({ keepAlive: true }) }
    this.backends.push(backend)
    void this.#poll(backend)
    return backend
  }

  async #poll(backend: Backend): Promise<void> {
    while (backend.ready) {
      const res = await backend.service.call('GET', '/readyz').catch(() => null)
      if (res?.status !== 200) backend.ready = false
      await delay(20)
    }
  }

  async send({ method, path, body }: (typeof REQUESTS)[number]): Promise<number> {
    const ready = this.backends.filter((backend) => backend.ready)
    const backend = ready[this.#next++ % ready.length]
    if (!backend) throw new Error('nobody is ready')
    const { port } = backend.service
    const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' }
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: backend.agent })
    sent.end(body)
    backend.open++
    try {
      const [response]: [IncomingMessage] = (await once(sent, 'response')) as [IncomingMessage]
      if (response.headers.connection === 'close') backend.ready = false
      await text(response)
      return response.statusCode!
    } finally {
      backend.open--
    }
  }
}

test('a rolling restart behind a load balancer fails no request', async () => {
  const { owner } = await newDatabase()
  const dataDir = newDataDirectory()
  const start = (GATEHOUSE_DRAIN_SECONDS = '3000') =>
    startService({
      GATEHOUSE_DATA_DIR: dataDir,
      GATEHOUSE_ROLE: 'web',
      GATEHOUSE_DRAIN_SECONDS,
      DATABASE_URL: addressOf(owner),
    })
  const balancer = new Balancer()
  const running = [await balancer.add(await start()), await balancer.add(await start())]

  const failures: string[] = []
  let requests = 0
  let rolling = true
  const client = async () => {
    while (rolling) {
      const wanted = REQUESTS[requests++ % REQUESTS.length]!
      const outcome = await balancer.send(wanted).catch((error: Error) => error.message)
      if (outcome !== 200) failures.push(`${wanted.method} ${wanted.path}: ${outcome}`)
      await delay(PAUSE_MS)
    }
  }
  const clients = Array.from({ length: CLIENTS }, client)
  for (let round = 1; round <= ROUNDS; round++) {
    const before = requests
    await until('some requests', () => requests > before + MIN_REQUESTS)
    const old = running.shift()!
    old.service.child.kill('SIGTERM')
    await until('the balancer notices', () => !old.ready && old.open === 0)
    // Ends the wait.
    old.service.child.kill('SIGTERM')
    assert.deepEqual(await old.service.exited, { code: 0, signal: null })
    running.push(await balancer.add(await start(round === ROUNDS ? '0.5' : undefined)))
  }
  rolling = false
  await Promise.all(clients)
  const last = running.at(-1)!
  last.ready = false
  last.service.child.kill('SIGTERM')
  assert.deepEqual(await last.service.exited, { code: 0, signal: null }, 'the wait ends by itself')

  assert.deepEqual(failures, [], `of ${requests} requests`)
  for (const { service, agent } of balancer.backends) {
    agent.destroy()
    assert.equal(service.output.stderr, '')
  }
  for (const backend of balancer.backends) backend.ready = false
})

test('a stopping process reports it at once, and a second signal skips the wait', async () => {
  const { owner } = await newDatabase()
  const service = await startService({
    GATEHOUSE_DATA_DIR: newDataDirectory(),
    GATEHOUSE_DRAIN_SECONDS: '3000',
    DATABASE_URL: addressOf(owner),
  })
  service.child.kill('SIGTERM')
  await service.untilLine('stopping')
  const readiness = await service.call('GET', '/readyz')
  assert.deepEqual([readiness.status, await readiness.json()], [503, { status: 'stopping' }])
  const served = await service.call('GET', '/api/organizations')
  assert.deepEqual([served.status, served.headers.get('connection')], [200, 'close'])
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.exited, { code: 0, signal: null })
})
