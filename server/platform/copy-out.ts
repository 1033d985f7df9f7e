import { Socket, type SocketConstructorOpts } from 'node:net'
import type pg from 'pg'

// Large answers as bytes. The driver makes a string of every value, and its stream for COPY a buffer of every row: for
// ten thousand events collecting the garbage took longer than reading them.

const READ_SIZE = 131_072

/** A connection to PostgreSQL that reads into one buffer; what it reads can be taken before the driver sees it. */
export class DatabaseSocket extends Socket {
  /** Must be done with the bytes when it returns. */
  divert: ((bytes: Uint8Array) => void) | null = null

  constructor() {
    super({
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_SIZE),
        callback(this: DatabaseSocket, length: number, buffer: Uint8Array) {
          const bytes = buffer.subarray(0, length)
          if (this.divert === null) return this.push(Buffer.from(bytes))
          this.divert(bytes)
          return true
        },
      },
    } as SocketConstructorOpts)
  }
}

const [COPY_DATA, COPY_DONE, COPY_OUT, COMPLETE, NOTICE, PARAMETER] = Buffer.from('dcHCNS')
const BEFORE_THE_END = new Set([COPY_DATA, COPY_DONE, COPY_OUT, COMPLETE, NOTICE, PARAMETER])

interface DriverConnection {
  stream: DatabaseSocket
  query(text: string): void
}

/**
 * `COPY … TO STDOUT`, with statements before it, for the driver's queue. It takes the messages whole, as they come;
 * what follows the end of the COPY, or an error before it, is the driver's again.
 */
export class CopyOut {
  readonly done: Promise<Buffer>
  readonly #text: string
  #resolve!: (messages: Buffer) => void
  #reject!: (error: Error) => void
  #connection!: DriverConnection
  #buffer: Buffer
  #filled = 0
  /** Where the next message begins; it may not have come yet. */
  #next = 0
  #ended = false

  /** The messages go into `buffer`, or into a larger one when it is too small. */
  constructor(text: string, buffer: Buffer) {
    this.#text = text
    this.#buffer = buffer
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  submit(connection: DriverConnection): void {
    this.#connection = connection
    connection.stream.divert = (bytes) => this.#take(bytes)
    connection.query(this.#text)
  }

  #take(bytes: Uint8Array): void {
    const size = this.#filled + bytes.length
    if (size > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#buffer.length))
      this.#buffer.copy(larger, 0, 0, this.#filled)
      this.#buffer = larger
    }
    this.#buffer.set(bytes, this.#filled)
    this.#filled = size
    // A message: its type, then four bytes of length, which count themselves.
    while (this.#next + 5 <= size) {
      const type = this.#buffer[this.#next]
      if (this.#ended || !BEFORE_THE_END.has(type)) {
        const { stream } = this.#connection
        stream.divert = null
        stream.push(Buffer.from(this.#buffer.subarray(this.#next, size)))
        return
      }
      this.#ended = type === COPY_DONE
      this.#next += 1 + this.#buffer.readInt32BE(this.#next + 1)
    }
  }

  // What the driver calls on the query that is at work.
  handleCommandComplete(): void {}
  handleReadyForQuery(): void {
    this.#resolve(this.#buffer.subarray(0, this.#next))
  }
  handleError(error: Error): void {
    this.#connection.stream.divert = null
    this.#reject(error)
  }
}

/** The driver's queue takes anything that behaves like a query. */
export const asQuery = (copy: CopyOut): pg.Submittable => copy as unknown as pg.Submittable

/** Where the rows of a binary COPY begin. Each is a message; the first has the header of the format before it. */
export function* rowsOf(messages: Buffer): Generator<number> {
  let header = 19
  for (let at = 0; at < messages.length; ) {
    const next = at + 1 + messages.readInt32BE(at + 1)
    if (messages[at] === COPY_DATA) {
      const row = at + 5 + header
      header = 0
      // After the last row stands -1 instead of the number of its columns.
      if (messages.readInt16BE(row) > 0) yield row
    }
    at = next
  }
}
