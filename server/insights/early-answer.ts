import type { ServerResponse } from 'node:http'
import type { EventPage } from './query/event-page.ts'

export type Place = NonNullable<EventPage['last']>

/** An answer that begins while its events are still being read, with headers that tell how it will end. */
export class EarlyAnswer {
  readonly #page: EventPage
  readonly #limit: number
  #begun: { response: ServerResponse; foreseen: Place } | null = null

  constructor(page: EventPage, limit: number) {
    this.#page = page
    this.#limit = limit
  }

  get begun(): boolean {
    return this.#begun !== null
  }

  /** The headers have been written. */
  begin(response: ServerResponse, foreseen: Place): void {
    this.#begun = { response, foreseen }
    // Without a wait for slow readers: the page has its buffer anyway.
    this.#page.sendTo((text) => response.write(text))
  }

  /** An import may have come between the two looks. Then the headers are wrong, and the client has to ask again. */
  finish(): void {
    if (!this.#begun) return
    const { response, foreseen } = this.#begun
    const { rows, last } = this.#page
    const asForeseen =
      rows === this.#limit && last?.timestamp === foreseen.timestamp && last.id === foreseen.id
    if (asForeseen) {
      this.#page.finish()
      response.end()
    } else this.breakOff()
  }

  breakOff(): void {
    this.#begun?.response.destroy()
  }
}
