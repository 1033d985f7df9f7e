import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { announce, announceFirst } from './announce.ts'
import type { Labs } from './app.ts'
import type { Contexts } from './contexts.ts'
import { type Config, demoEnvironment, loadConfig } from './platform/config.ts'
import { codeOf, messageOf, OperatorError } from './platform/errors.ts'
import { followKeys } from './platform/key-watch.ts'
import { createLog, flushLog } from './platform/log.ts'
import { startTracing } from './platform/tracing.ts'
import type { Runtime } from './runtime.ts'
import { Steps } from './steps.ts'

/** Not part of the service; the command line passes it in. */
interface Demo {
  /** Loads the demo data unless it exists. */
  load(
    runtime: Runtime,
    options: { baseUrl: string; dataDir: string; progress?: (line: string) => void },
  ): Promise<'loaded' | 'already there'>
  /** A SCIM provider, served at /lab if the public URL is on localhost, and an application connected to it. */
  scim: {
    routes: NonNullable<Labs['scim']>
    connect(context: Contexts['provisioning'], page: string): Promise<void>
  }
  /** An application that imports from a people API, which the same routes serve. */
  connectPeople(context: Contexts['imports'], page: string): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('../bin/gatehouse', import.meta.url))
/** The container image has a program of its own on the path. */
const HELP = existsSync(PROGRAM)
  ? `${PROGRAM} help (here also: npm run gatehouse -- help)`
  : 'gatehouse help'

export interface ServeOptions {
  /** From the command line; validated like the settings they override. */
  port?: string | undefined
  host?: string | undefined
  /** A test service provider, served at /saml2/test-sp if the public URL is on localhost. */
  testSp?: () => Promise<Labs['testSp']>
  demo?: Demo | undefined
}

async function explaining({ port, host }: Config, listen: () => Promise<unknown>): Promise<void> {
  try {
    await listen()
  } catch (error) {
    const code = codeOf(error)
    const where = `Port ${port} on ${host}`
    if (code === 'EADDRINUSE')
      throw new OperatorError(`${where} is in use; choose another with --port or PORT`)
    if (code === 'EACCES') throw new OperatorError(`${where}: permission denied`)
    throw new OperatorError(`Cannot listen on ${host}:${port}: ${messageOf(error)}`)
  }
}

/** Before anything is set up: the most common mistake of a first start is a port in use. */
const checkPort = (config: Config): Promise<void> =>
  explaining(config, async () => {
    const probe = createServer().listen(config.port, config.host)
    await once(probe, 'listening')
    probe.close()
    await once(probe, 'close')
  })

/** The address at which this process reaches itself: the demo may call loopback addresses only. */
function ownAddress(http: FastifyInstance): string {
  const { address, port } = http.server.address() as AddressInfo
  return `http://${address === '::1' ? '[::1]' : '127.0.0.1'}:${port}`
}

/** Starts everything, serves until SIGTERM or SIGINT, then drains and stops in order: requests, jobs, database. */
export async function serve(options: ServeOptions = {}): Promise<void> {
  const config = loadConfig({
    ...(options.demo ? demoEnvironment(process.env) : process.env),
    ...(options.port !== undefined && { PORT: options.port }),
    ...(options.host !== undefined && { HOST: options.host }),
  })
  const log = createLog(config.logLevel)
  await checkPort(config)
  const steps = new Steps(log, process.stdout.isTTY)
  const stopTracing = await startTracing()
  // Loaded only now: a mistake in the settings is reported without waiting for the whole service.
  const { startService } = await steps.run('Loading the service', () => import('./runtime.ts'))
  const testSp = await options.testSp?.()
  const labs = { testSp, scim: options.demo?.scim.routes }
  const service = await startService(config, log, labs, steps)
  const { app, runtime, first, setupToken, stopListening } = service
  const stopFollowing = await followKeys(runtime.database.service, runtime.sealer, log)

  const given = {
    password: config.adminPassword !== undefined,
    apiKey: config.adminApiKey !== undefined,
  }
  const servesLab = options.demo !== undefined && config.development && config.role !== 'worker'
  let stopping: Promise<void> | null = null
  const hurry = new AbortController()
  /** Keeps serving until the load balancer has noticed; a second signal skips the wait. */
  const drain = async (): Promise<void> => {
    app.http.drain.begin()
    if (config.drainSeconds > 0)
      await delay(config.drainSeconds * 1000, undefined, hurry).catch(() => {})
  }
  const stop = async (): Promise<void> => {
    // A keep-alive connection becomes idle only after its request in flight has been answered.
    const sweep = setInterval(() => app.http.server.closeIdleConnections(), 50)
    const drained = await Promise.race([
      app.http.close().then(() => true),
      new Promise<false>((resolve) =>
        setTimeout(resolve, config.shutdownSeconds * 1000, false).unref(),
      ),
    ])
    clearInterval(sweep)
    if (!drained) {
      log.warn({}, 'shutdown timed out; closing connections with requests in flight')
      app.http.server.closeAllConnections()
    }
    await app.queue.stop()
    await stopListening()
    await stopFollowing()
    await runtime.close()
    await stopTracing?.()
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) {
      hurry.abort()
      return
    }
    log.info({ signal }, 'stopping')
    stopping = drain()
      .then(stop)
      .then(
        () => process.exit(0),
        (error) => {
          log.error({ err: error }, 'could not stop cleanly')
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)

  try {
    // Before listening, so that the demo data is there once the service is ready.
    const { demo } = options
    const { publicUrl: baseUrl, dataDir, port, host } = config
    const progress = (line: string) => steps.note(line)
    if (demo)
      await steps.run('Loading the demo data', () =>
        demo.load(runtime, { baseUrl, dataDir, progress }),
      )
    await explaining(config, () => app.http.listen({ port, host }))
    if (servesLab) {
      const page = `${ownAddress(app.http)}/lab`
      await options.demo!.scim.connect(app.contexts.provisioning, page)
      await options.demo!.connectPeople(app.contexts.imports, page)
    }
  } catch (error) {
    announceFirst(first, given)
    await stop()
    throw error
  }
  const { port } = app.http.server.address() as AddressInfo
  const demoCredentials = join(config.dataDir, 'demo-credentials.json')
  log.info({ port, host: config.host, role: config.role, node: process.version }, 'ready')
  flushLog()
  announce({
    baseUrl: config.publicUrl.replace(/:0$/, `:${port}`),
    first,
    given,
    setupToken,
    servesLab,
    demoCredentials: options.demo && existsSync(demoCredentials) ? demoCredentials : null,
    role: config.role,
    sendsMail: config.smtpUrl !== undefined,
    help: HELP,
    readyMs: Math.round(performance.now()),
  })
}
