import pg from 'pg'

// Large results as bytes. The driver makes a string of every value of a row; of a binary COPY it passes the bytes on.

/** The "PGCOPY" signature, flags, and the length of an extension that is always empty. */
const FORMAT_HEADER = 19

/** Receives the rows of a binary COPY one by one. */
export interface RowSink {
  /** The row starts at `at`, with its column count. Copy what is kept: the driver reuses the bytes. */
  row(bytes: Buffer, at: number): void
}

/**
 * `COPY … TO STDOUT (FORMAT binary)`, with statements before and after it, for the driver's queue. Rows arrive as
 * `CopyData` messages of the active query, over TLS and sockets alike.
 */
export class CopyOut extends pg.Query {
  readonly done: Promise<void>
  readonly #resolve: () => void
  readonly #reject: (error: Error) => void
  readonly #sink: RowSink
  #started = false
  /** What the sink threw: an exception in a message handler would end the process. */
  #failure: Error | null = null

  constructor(text: string, sink: RowSink) {
    super(text)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.done = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#sink = sink
  }

  // Called by the driver on a query, in the order of the messages.

  /** Each row is a message; the first also has the format header. A column count of -1 is the trailer. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#failure) return
    const row = this.#started ? 0 : FORMAT_HEADER
    this.#started = true
    try {
      if (chunk.readInt16BE(row) > 0) this.#sink.row(chunk, row)
    } catch (error) {
      this.#failure = error as Error
    }
  }
  handleCommandComplete(): void {}
  handleReadyForQuery(): void {
    if (this.#failure) this.#reject(this.#failure)
    else this.#resolve()
  }
  handleError(error: Error): void {
    this.#reject(error)
  }
}
