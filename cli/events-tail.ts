import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../server/platform/errors.ts'
import { command } from './command.ts'
import { headersOf, refusal, send } from './events-http.ts'
import { eventLine, writeOut } from './events-line.ts'
import { readMessages } from './events-messages.ts'
import {
  FILTER,
  type Filter,
  readFilter,
  readTarget,
  readTime,
  TARGET,
  type Target,
} from './events-options.ts'

const RETRY_MS = 1000

function addressOf(target: Target, { service, search_term, fields }: Filter): URL {
  const url = new URL(`${target.baseUrl}/insights/directory/v1/events/stream`)
  for (const name of service) url.searchParams.append('service', name)
  for (const name of fields ?? []) url.searchParams.append('fields', name)
  if (search_term !== undefined) url.searchParams.set('search_term', JSON.stringify(search_term))
  return url
}

class Tail {
  readonly #target: Target
  readonly #url: URL
  readonly #signal: AbortSignal
  #place: string | undefined
  #connected = false

  constructor(target: Target, filter: Filter, place: string | undefined, signal: AbortSignal) {
    this.#target = target
    this.#url = addressOf(target, filter)
    this.#place = place
    this.#signal = signal
  }

  async #connect(): Promise<ReadableStream<Uint8Array>> {
    const headers = {
      ...headersOf(this.#target),
      accept: 'text/event-stream',
      ...(this.#place !== undefined && { 'last-event-id': this.#place }),
    }
    const signal = this.#signal
    const response = await send(this.#target, () => new Request(this.#url, { headers, signal }))
    if (response.ok && response.body) return response.body
    const body: unknown = await response.json().catch(() => null)
    const error = refusal(response.status, body)
    // A client error: retrying would not help.
    if (response.status < 500) this.#connected = false
    throw error
  }

  async #listen(show: (data: string) => Promise<void>): Promise<void> {
    const body = await this.#connect()
    if (!this.#connected) process.stderr.write('Waiting for events; press Ctrl-C to stop.\n')
    this.#connected = true
    for await (const { id, data } of readMessages(body)) {
      if (data !== undefined) await show(data)
      this.#place = id ?? this.#place
    }
  }

  /** Runs until the signal. Once connected, it reconnects and resumes where the stream ended. */
  async run(show: (data: string) => Promise<void>): Promise<void> {
    let warned = false
    while (!this.#signal.aborted) {
      try {
        await this.#listen(async (data) => {
          warned = false
          await show(data)
        })
      } catch (error) {
        if (this.#signal.aborted) return
        const lost = error instanceof OperatorError || error instanceof TypeError
        if (!this.#connected || !lost) throw error
      }
      if (!warned) process.stderr.write('The stream has ended; reconnecting\n')
      warned = true
      await delay(RETRY_MS, undefined, { signal: this.#signal }).catch(() => {})
    }
  }
}

export const tail = command({
  about: 'Shows events as they happen, until Ctrl-C; with --json one document per line.',
  options: {
    ...TARGET,
    ...FILTER,
    since: { type: 'string', value: 'TIME', about: 'RFC 3339, or 15m, 2h, 7d ago; now by default' },
  },
  json: true,
  async run({ options, json }) {
    const { since } = options
    const target = readTarget(options)
    const place =
      since === undefined
        ? undefined
        : `${Math.max(0, readTime('since', since))}:00000000-0000-0000-0000-000000000000`
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    await new Tail(target, readFilter(options), place, stop.signal).run((data) =>
      writeOut(`${json ? data : eventLine(JSON.parse(data))}\n`),
    )
  },
})
