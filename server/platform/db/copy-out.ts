import type pg from 'pg'
import type { DatabaseSocket } from './database-socket.ts'

// Large results as bytes. The driver makes a string of every value, and its COPY stream a buffer of every row: for ten
// thousand events garbage collection took longer than reading them.

const [COPY_DATA, COPY_DONE, COPY_OUT, COMPLETE, NOTICE, PARAMETER] = Buffer.from('dcHCNS')
const BEFORE_THE_END = new Set([COPY_DATA, COPY_DONE, COPY_OUT, COMPLETE, NOTICE, PARAMETER])
/** The "PGCOPY" signature, flags, and the length of an extension that is always empty. */
const FORMAT_HEADER = 19

const NONE = Buffer.alloc(0)

/** Receives the rows of a binary COPY one by one. */
export interface RowSink {
  /** The row starts at `at`, with its column count. Copy what is needed before `flush` returns. */
  row(bytes: Buffer, at: number): void
  /** The bytes of the rows so far are about to be overwritten. */
  flush(): void
}

interface DriverConnection {
  stream: DatabaseSocket
  query(text: string): void
}

/**
 * `COPY … TO STDOUT (FORMAT binary)`, with statements before it, for the driver's queue. It consumes the messages as
 * they arrive; after the end of the COPY, or an error before it, the driver takes over again.
 */
export class CopyOut {
  readonly done: Promise<void>
  readonly #text: string
  readonly #sink: RowSink
  #resolve!: () => void
  #reject!: (error: Error) => void
  /** Null until the driver sends it: it may refuse before. */
  #connection: DriverConnection | null = null
  /** The start of an incomplete message. */
  #part = NONE
  #started = false
  #ended = false

  constructor(text: string, sink: RowSink) {
    this.#text = text
    this.#sink = sink
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

  #take(read: Buffer): void {
    const from = this.#part.length > 0 ? this.#complete(read) : 0
    if (from !== null) this.#messages(read, from)
  }

  /** Completes the partial message. Returns where the next one starts, or null after the last one. */
  #complete(read: Buffer): number | null {
    let from = 0
    const add = (wanted: number) => {
      const missing = Math.max(0, wanted - this.#part.length)
      const more = read.subarray(from, from + missing)
      from += more.length
      if (more.length > 0) this.#part = Buffer.concat([this.#part, more])
      return more.length === missing
    }
    if (!add(5) || !add(1 + this.#part.readInt32BE(1))) return null
    const message = this.#part
    this.#part = NONE
    return this.#messages(message, 0, read.subarray(from)) ? from : null
  }

  /** False when the driver must handle what follows, including `rest`. */
  #messages(bytes: Buffer, from: number, rest: Buffer = NONE): boolean {
    let at = from
    // A message is its type, then a four-byte length that includes itself.
    while (at + 5 <= bytes.length) {
      const type = bytes[at]
      if (this.#ended || !BEFORE_THE_END.has(type)) {
        this.#sink.flush()
        const { stream } = this.#connection!
        stream.divert = null
        stream.push(Buffer.concat([bytes.subarray(at), rest]))
        return false
      }
      const next = at + 1 + bytes.readInt32BE(at + 1)
      if (next > bytes.length) break
      if (type === COPY_DATA) this.#data(bytes, at + 5)
      this.#ended = type === COPY_DONE
      at = next
    }
    this.#sink.flush()
    this.#part = at < bytes.length ? Buffer.from(bytes.subarray(at)) : NONE
    return true
  }

  /** Each row is a message; the first also has the format header. A column count of -1 is the trailer. */
  #data(bytes: Buffer, at: number): void {
    const row = this.#started ? at : at + FORMAT_HEADER
    this.#started = true
    if (bytes.readInt16BE(row) > 0) this.#sink.row(bytes, row)
  }

  // Called by the driver on the active query.
  handleCommandComplete(): void {}
  handleReadyForQuery(): void {
    this.#resolve()
  }
  handleError(error: Error): void {
    if (this.#connection) this.#connection.stream.divert = null
    this.#reject(error)
  }
}

/** The driver's queue accepts anything that behaves like a query. */
export const asQuery = (copy: CopyOut): pg.Submittable => copy as unknown as pg.Submittable
