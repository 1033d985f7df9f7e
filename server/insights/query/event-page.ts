import type { RowSink } from '../../platform/db/copy-out.ts'

const [OPEN, COMMA, CLOSE] = [0x5b, 0x2c, 0x5d]
/** PostgreSQL counts microseconds from the year 2000. */
const EPOCH_2000 = Date.UTC(2000, 0, 1)
const SMALL = 65_536

/** Row layout: the column count; then timestamp, id and document, each after its length. */
const TIMESTAMP = 6
const ID = TIMESTAMP + 12
const LENGTH = ID + 16
const DOCUMENT = LENGTH + 4

/** The timestamp, the length of the id, and the id, as in a row. */
const KEY_LENGTH = LENGTH - TIMESTAMP

function readKey(key: Buffer): { timestamp: number; id: string } {
  const hex = key.toString('hex', ID - TIMESTAMP, KEY_LENGTH)
  return {
    timestamp: EPOCH_2000 + Number(key.readBigInt64BE(0) / 1000n),
    id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  }
}

/**
 * Events as PostgreSQL sends them, rows of timestamp, id and document. Builds the JSON array from the documents as they
 * arrive, without converting them to strings.
 */
export class EventPage implements RowSink {
  rows = 0
  #text: Buffer
  #length = 0
  readonly #ends: number[] = []
  /** The last row of the current chunk, and its key, which outlives the chunk. */
  #newest: Buffer | null = null
  #newestAt = 0
  readonly #key = Buffer.alloc(KEY_LENGTH)

  /** Writes into the buffer, or into a larger one when it is too small. */
  constructor(buffer: Buffer = Buffer.allocUnsafeSlow(SMALL)) {
    this.#text = buffer
  }

  row(bytes: Buffer, row: number): void {
    const from = row + DOCUMENT
    const length = bytes.readInt32BE(row + LENGTH)
    // One byte for the comma before it, one for the closing bracket.
    const needed = this.#length + length + 2
    if (needed > this.#text.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#text.length))
      this.#text.copy(larger, 0, 0, this.#length)
      this.#text = larger
    }
    this.#text[this.#length] = COMMA
    bytes.copy(this.#text, this.#length + 1, from, from + length)
    this.#length += 1 + length
    this.#ends.push(this.#length)
    this.rows++
    this.#newest = bytes
    this.#newestAt = row
  }

  flush(): void {
    this.#newest?.copy(this.#key, 0, this.#newestAt + TIMESTAMP, this.#newestAt + LENGTH)
    this.#newest = null
  }

  /** The cursor of the next page; null when this one is empty. */
  get last(): { timestamp: number; id: string } | null {
    return this.rows === 0 ? null : readKey(this.#key)
  }

  /** A JSON array of the documents, byte for byte as stored. */
  json(): Buffer {
    if (this.rows === 0) return Buffer.from('[]')
    // Replaces the first comma.
    this.#text[0] = OPEN
    this.#text[this.#length] = CLOSE
    return this.#text.subarray(0, this.#length + 1)
  }

  /** The documents as strings. */
  *documents(): Generator<string> {
    let from = 0
    for (const end of this.#ends) {
      yield this.#text.toString('utf8', from + 1, end)
      from = end
    }
  }
}
