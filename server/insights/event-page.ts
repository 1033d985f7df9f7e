import { rowsOf } from '../platform/copy-out.ts'

const [OPEN, COMMA, CLOSE] = [0x5b, 0x2c, 0x5d]
/** PostgreSQL counts microseconds from the year 2000. */
const EPOCH_2000 = Date.UTC(2000, 0, 1)

/** A row: the number of columns; then timestamp, id and document, each after its length. */
const TIMESTAMP = 6
const ID = TIMESTAMP + 12
const LENGTH = ID + 16
const DOCUMENT = LENGTH + 4

function keyOf(copy: Buffer, row: number): { timestamp: number; id: string } {
  const hex = copy.toString('hex', row + ID, row + LENGTH)
  return {
    timestamp: EPOCH_2000 + Number(copy.readBigInt64BE(row + TIMESTAMP) / 1000n),
    id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  }
}

/** Moves the documents to the front of their own buffer, a comma before each and a byte to spare at the end. */
function packed(rows: Buffer): Buffer {
  let end = 0
  for (const row of rowsOf(rows)) {
    const from = row + DOCUMENT
    const length = rows.readInt32BE(row + LENGTH)
    rows[end] = COMMA
    rows.copyWithin(end + 1, from, from + length)
    end += 1 + length
  }
  return rows.subarray(0, end + 1)
}

/**
 * Events as they come from PostgreSQL: rows of timestamp, id and document of a binary COPY. On their
 * way to the socket the documents are never made into strings. They can be taken out once.
 */
export class EventPage {
  rows = 0
  /** Where the next page begins; null when this one is empty. */
  last: { timestamp: number; id: string } | null = null
  #parts: Buffer[] = []

  /** Takes the rows that follow. The buffer is the page's from then on. */
  add(rows: Buffer): void {
    let last = -1
    for (const row of rowsOf(rows)) {
      last = row
      this.rows++
    }
    if (last < 0) return
    this.last = keyOf(rows, last)
    this.#parts.push(rows)
  }

  #take(): Buffer[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  /** A JSON array of the documents, in the bytes they are stored in. */
  json(): Buffer {
    const parts = this.#take().map(packed)
    const [first] = parts
    if (!first) return Buffer.from('[]')
    const last = parts.length - 1
    const all =
      last === 0
        ? first
        : Buffer.concat(parts.map((part, at) => (at === last ? part : part.subarray(0, -1))))
    // The comma before the first document makes room for one bracket, what stood behind the last for the other.
    all[0] = OPEN
    all[all.length - 1] = CLOSE
    return all
  }

  /** The documents as texts. */
  *documents(): Generator<string> {
    for (const part of this.#take()) {
      for (const row of rowsOf(part)) {
        const from = row + DOCUMENT
        yield part.toString('utf8', from, from + part.readInt32BE(row + LENGTH))
      }
    }
  }
}
