import type { Outbound } from '../platform/outbound/client.ts'
import { withoutTrailing } from '../platform/trailing.ts'
import { type Answer, readContent } from './answer.ts'
import { Authorization } from './authorization.ts'
import type { ScimConnection } from './connection.ts'
import { ScimFailure, unanswered } from './failures.ts'
import { refusal } from './refusal.ts'
import type { ScimQuirks } from './schema.ts'
import type { ScimExchange } from './types.ts'

const TOTAL_MS = 30_000

export type Query = Record<string, string | number>

export interface ScimRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the base URL, encoded. */
  path: string
  query?: Query
  headers?: Record<string, string>
  body?: object
  /** For messages: the purpose, as in "Could not create the user". */
  to: string
}

interface ProviderOptions {
  outbound: Outbound
  connection: ScimConnection
  /** Requests with the same key share the limits of the connection. */
  throttleKey: string
  /** As saved by `onQuirk`. */
  quirks?: ScimQuirks
  /** Something was learnt: save it. */
  onQuirk?: (quirks: ScimQuirks) => void
  now?: () => number
}

/** A connection with its state: the access token and the quirks learnt so far. Keep one for each connection. */
export class ScimProvider {
  readonly #options: ProviderOptions
  readonly #now: () => number
  readonly #authorization: Authorization
  readonly #base: string
  readonly #query: string
  #quirks: ScimQuirks
  /** Concurrent operations share one reading of the ServiceProviderConfig. */
  configuring: Promise<unknown> | undefined

  constructor(options: ProviderOptions) {
    const { outbound, connection, quirks = {}, now = Date.now } = options
    this.#options = options
    this.#now = now
    this.#authorization = new Authorization(connection.auth, outbound, now)
    // An invalid URL is reported by the first request.
    const [address = '', query = ''] = connection.baseUrl
      .trim()
      .replace(/#.*/, '')
      .split(/\?(.*)/)
    this.#base = withoutTrailing('/', address)
    this.#query = query
    this.#quirks = quirks
  }

  get quirks(): ScimQuirks {
    return this.#quirks
  }

  learn(news: ScimQuirks): void {
    const names = Object.keys(news) as (keyof ScimQuirks)[]
    if (names.every((name) => String(news[name]) === String(this.#quirks[name]))) return
    this.#quirks = { ...this.#quirks, ...news }
    this.#options.onQuirk?.(this.#quirks)
  }

  /** Resolves with a 2xx response; any other outcome is a `ScimFailure`. */
  async send(request: ScimRequest, note: (sent: ScimExchange) => void): Promise<Answer> {
    let headers = await this.#authorization.headers()
    // Another request may learn it while this one is on its way.
    const asJson = this.#quirks.json
    let answer = await this.#once(request, headers, note)
    if (answer.status === 401 && this.#authorization.refused(headers)) {
      headers = await this.#authorization.headers()
      answer = await this.#once(request, headers, note)
    }
    if (answer.status === 415 && !asJson) {
      this.learn({ json: true })
      answer = await this.#once(request, headers, note)
    }
    if (answer.status < 200 || answer.status >= 300)
      throw refusal(answer, request, this.#authorization.redact, this.#now())
    if (answer.content === 'html')
      throw new ScimFailure(
        'misconfigured',
        `The base URL answers with a web page instead of SCIM (${answer.status})`,
        { status: answer.status },
      )
    return answer
  }

  async #once(
    { method, path, query, headers, body, to }: ScimRequest,
    authorization: Record<string, string>,
    note: (sent: ScimExchange) => void,
  ): Promise<Answer> {
    const { outbound, throttleKey, connection } = this.#options
    const { concurrency, perSecond } = connection
    const type = this.#quirks.json ? 'application/json' : 'application/scim+json'
    try {
      const answer = await outbound.stream(this.#address(path, query), {
        method,
        headers: {
          accept: 'application/scim+json, application/json',
          ...(body && { 'content-type': type }),
          ...headers,
          ...authorization,
        },
        ...(body && { body: JSON.stringify(body) }),
        // All but the creation of a resource may be repeated without harm.
        repeatable: method !== 'POST',
        throttle: { key: throttleKey, concurrency, ...(perSecond !== undefined && { perSecond }) },
        totalMs: TOTAL_MS,
      })
      const content = await readContent(answer.body)
      note({ method, path, status: answer.status })
      return { status: answer.status, headers: answer.headers, content }
    } catch (error) {
      note({ method, path, status: null })
      throw unanswered(error, to)
    }
  }

  #address(path: string, query: Query = {}): string {
    // Not URLSearchParams: not every server reads its + as a space.
    const pairs = Object.entries(query).map(
      ([name, value]) => `${name}=${encodeURIComponent(value)}`,
    )
    const search = [this.#query, ...pairs].filter((part) => part !== '').join('&')
    return `${this.#base}${path}${search && `?${search}`}`
  }
}
