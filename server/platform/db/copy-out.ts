import type pg from 'pg'
import type { DatabaseSocket } from './database-socket.ts'

// Large answers as bytes. The driver makes a string of every value, and its stream for COPY a buffer of every row: for
// ten thousand events collecting the garbage took longer than reading them.

const [COPY_DATA, COPY_DONE, COPY_OUT, COMPLETE, NOTICE, PARAMETER] = Buffer.from('dcHCNS')
const BEFORE_THE_END = new Set([COPY_DATA, COPY_DONE, COPY_OUT, COMPLETE, NOTICE, PARAMETER])
/** "PGCOPY" and so on, flags, the length of an extension that is always empty. */
const FORMAT_HEADER = 19

const NONE = Buffer.alloc(0)

/** Takes rows of a binary COPY one by one. */
export interface RowSink {
  /** The row begins there, with the number of its columns; what it needs it must copy before `flush` returns. */
  row(bytes: Buffer, at: number): void
  /** The bytes of the rows so far will be overwritten. */
  flush(): void
}

interface DriverConnection {
  stream: DatabaseSocket
  query(text: string): void
}

/**
 * `COPY … TO STDOUT (FORMAT binary)`, with statements before it, for the driver's queue. It takes the messages as they
 * come; what follows the end of the COPY, or an error before it, is the driver's again.
 */
export class CopyOut {
  readonly done: Promise<void>
  readonly #text: string
  readonly #sink: RowSink
  #resolve!: () => void
  #reject!: (error: Error) => void
  #connection!: DriverConnection
  /** The beginning of a message whose end has not come yet. */
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

  /** Takes the message whose beginning came before. Tells where the next one begins; null: that was all. */
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

  /** False when what follows, `rest` included, is the driver's. */
  #messages(bytes: Buffer, from: number, rest: Buffer = NONE): boolean {
    let at = from
    // A message: its type, then four bytes of length, which count themselves.
    while (at + 5 <= bytes.length) {
      const type = bytes[at]
      if (this.#ended || !BEFORE_THE_END.has(type)) {
        this.#sink.flush()
        const { stream } = this.#connection
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

  /** Each row is a message, the first with the header of the format before it. Minus one column: there are no more. */
  #data(bytes: Buffer, at: number): void {
    const row = this.#started ? at : at + FORMAT_HEADER
    this.#started = true
    if (bytes.readInt16BE(row) > 0) this.#sink.row(bytes, row)
  }

  // What the driver calls on the query that is at work.
  handleCommandComplete(): void {}
  handleReadyForQuery(): void {
    this.#resolve()
  }
  handleError(error: Error): void {
    this.#connection.stream.divert = null
    this.#reject(error)
  }
}

/** The driver's queue takes anything that behaves like a query. */
export const asQuery = (copy: CopyOut): pg.Submittable => copy as unknown as pg.Submittable
