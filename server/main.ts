import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { announce, announceFirst } from './announce.ts'
import { loadConfig } from './platform/config.ts'
import { codeOf, messageOf, OperatorError } from './platform/errors.ts'
import { followKeys } from './platform/key-watch.ts'
import { createLog } from './platform/log.ts'
import { startTracing } from './platform/tracing.ts'
import { type Ground, startService } from './runtime.ts'

/** The demo world stands outside the service and is handed in by the command line. */
export type LoadDemo = (
  ground: Ground,
  options: { baseUrl: string; dataDir: string; progress?: (line: string) => void },
) => Promise<'loaded' | 'already there'>

export interface ServeOptions {
  /** From the command line; checked like the settings they replace. */
  port?: string | undefined
  host?: string | undefined
  /** Loads the demo world once the service is ready. */
  demo?: LoadDemo | undefined
}

function listenFailure(error: unknown, host: string, port: number): Error {
  const code = codeOf(error)
  if (code === 'EADDRINUSE')
    return new OperatorError(
      `Port ${port} on ${host} is in use; choose another with --port or PORT`,
    )
  if (code === 'EACCES')
    return new OperatorError(`Port ${port} on ${host} may not be opened by this user`)
  return new OperatorError(`Cannot listen on ${host}:${port}: ${messageOf(error)}`)
}

/** Starts everything, serves until SIGTERM or SIGINT, then stops in order: requests, jobs, database. */
export async function serve(options: ServeOptions = {}): Promise<void> {
  const config = loadConfig({
    ...process.env,
    ...(options.port !== undefined && { PORT: options.port }),
    ...(options.host !== undefined && { HOST: options.host }),
  })
  const log = createLog(config.logLevel)
  const stopTracing = await startTracing()
  const service = await startService(config, log)
  const { app, ground, first, stopListening } = service
  const stopFollowing = await followKeys(ground.database.service, ground.sealer, log)

  let stopping: Promise<void> | null = null
  const stop = async (): Promise<void> => {
    const drained = await Promise.race([
      app.http.close().then(() => true),
      new Promise<false>((resolve) =>
        setTimeout(resolve, config.shutdownSeconds * 1000, false).unref(),
      ),
    ])
    if (!drained) {
      log.warn({}, 'requests in flight were cut off after the time allowed')
      app.http.server.closeAllConnections()
    }
    await app.queue.stop()
    await stopListening()
    await stopFollowing()
    await ground.close()
    await stopTracing?.()
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) return
    log.info({ signal }, 'stopping')
    stopping = stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)

  try {
    await app.http.listen({ port: config.port, host: config.host })
  } catch (error) {
    announceFirst(first)
    await stop()
    throw listenFailure(error, config.host, config.port)
  }
  const address = app.http.server.address()
  const port = typeof address === 'object' && address ? address.port : config.port
  const baseUrl = config.publicUrl.replace(/:0$/, `:${port}`)
  if (options.demo) {
    const progress = (line: string) => log.info({}, line)
    try {
      await options.demo(ground, { baseUrl, dataDir: config.dataDir, progress })
    } catch (error) {
      announceFirst(first)
      await stop()
      throw error
    }
  }
  const demoCredentials = join(config.dataDir, 'demo-credentials.json')
  announce({
    baseUrl,
    first,
    demoCredentials: options.demo && existsSync(demoCredentials) ? demoCredentials : null,
    role: config.role,
    readyMs: Math.round(performance.now()),
  })
  log.info({ port, host: config.host, role: config.role, node: process.version }, 'ready')
}
