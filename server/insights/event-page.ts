/** "PGCOPY" and so on, flags, length of an extension that is always empty. */
const HEADER = 19
/** PostgreSQL counts microseconds from the year 2000. */
const EPOCH_2000 = Date.UTC(2000, 0, 1)

/** A row: the number of columns; then timestamp, id and document, each after its length. */
const COLUMNS = 3
const TIMESTAMP = 6
const ID = TIMESTAMP + 12
const LENGTH = ID + 16
const DOCUMENT = LENGTH + 4

/** Where documents begin and end. The last row is followed by -1 instead of the number of columns. */
function* documentsIn(copy: Buffer): Generator<{ row: number; from: number; to: number }> {
  for (let row = HEADER; copy.readInt16BE(row) === COLUMNS; ) {
    const from = row + DOCUMENT
    const to = from + copy.readInt32BE(row + LENGTH)
    yield { row, from, to }
    row = to
  }
}

function keyOf(copy: Buffer, row: number): { timestamp: number; id: string } {
  const hex = copy.toString('hex', row + ID, row + LENGTH)
  return {
    timestamp: EPOCH_2000 + Number(copy.readBigInt64BE(row + TIMESTAMP) / 1000n),
    id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  }
}

/** Moves the documents to the front of their own buffer, a separator before each. */
function packed(copy: Buffer, separator: number): Buffer {
  let end = 0
  for (const { from, to } of documentsIn(copy)) {
    copy[end] = separator
    copy.copyWithin(end + 1, from, to)
    end += 1 + to - from
  }
  return copy.subarray(0, end)
}

/**
 * Events as they come from PostgreSQL: rows of timestamp, id and document in the binary format of COPY. On their
 * way to the socket the documents are never made into strings. They can be taken out once.
 */
export class EventPage {
  rows = 0
  /** Where the next page begins; null when this one is empty. */
  last: { timestamp: number; id: string } | null = null
  #parts: Buffer[] = []

  /** Takes the rows that follow. The buffer is the page's from then on. */
  add(copy: Buffer): void {
    let last = -1
    for (const { row } of documentsIn(copy)) {
      last = row
      this.rows++
    }
    if (last < 0) return
    this.last = keyOf(copy, last)
    this.#parts.push(copy)
  }

  #take(): Buffer[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  /** A JSON array of the documents, in the bytes they are stored in. */
  json(): Buffer[] {
    const parts = this.#take().map((part) => packed(part, 0x2c))
    // The comma before the first document makes room for the bracket.
    if (parts[0]) parts[0][0] = 0x5b
    return [...parts, Buffer.from(parts[0] ? ']' : '[]')]
  }

  /** The documents as texts. */
  *documents(): Generator<string> {
    for (const part of this.#take())
      for (const { from, to } of documentsIn(part)) yield part.toString('utf8', from, to)
  }
}
