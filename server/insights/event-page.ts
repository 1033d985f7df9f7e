/** "PGCOPY" and so on, flags, length of an extension that is always empty. */
const HEADER = 19
const [OPEN, COMMA, CLOSE] = Buffer.from('[,]') as unknown as [number, number, number]
/** PostgreSQL counts microseconds from the year 2000. */
const EPOCH_2000 = Date.UTC(2000, 0, 1)

function keyOf(copy: Buffer, at: number): { timestamp: number; id: string } {
  const hex = copy.toString('hex', at + 12, at + 28)
  return {
    timestamp: EPOCH_2000 + Number(copy.readBigInt64BE(at) / 1000n),
    id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  }
}

/**
 * Events as they come from PostgreSQL: rows of timestamp, id and document in the binary format of COPY. The
 * documents are never made into strings on their way to the socket.
 */
export class EventPage {
  rows = 0
  /** Where the next page begins. */
  last: { timestamp: number; id: string } | null = null
  /** Each with a byte to spare before and after the documents. */
  readonly #parts: Buffer[] = []

  /** Takes the rows that follow. The buffer is the page's from then on. */
  add(copy: Buffer): void {
    let from = HEADER
    let to = 1
    // A row: number of columns; for each, its length and its bytes. Documents move to the front, commas between.
    while (copy.readInt16BE(from) === 3) {
      const key = from + 6
      const document = key + 32
      const end = document + copy.readInt32BE(key + 28)
      // What moves may cover the key, so the last one is read before.
      if (copy.readInt16BE(end) !== 3) this.last = keyOf(copy, key)
      if (to > 1) copy[to++] = COMMA
      copy.copyWithin(to, document, end)
      to += end - document
      from = end
      this.rows++
    }
    if (to > 1) this.#parts.push(copy.subarray(0, to + 1))
  }

  /** A JSON array of the documents, in the bytes they are stored in. */
  json(): Buffer {
    if (this.#parts.length === 0) return Buffer.from('[]')
    for (const [at, part] of this.#parts.entries()) {
      part[0] = at === 0 ? OPEN : COMMA
      part[part.length - 1] = CLOSE
    }
    const pieces = this.#parts.map((part, at) =>
      at < this.#parts.length - 1 ? part.subarray(0, -1) : part,
    )
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }
}
