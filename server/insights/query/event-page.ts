import { readUuid } from '../segments/binary-rows.ts'

const [OPEN, COMMA, CLOSE] = [0x5b, 0x2c, 0x5d]
const SMALL = 65_536

/** Builds the JSON array of a page from the bytes of its documents, without converting them to strings. */
export class EventPage {
  rows = 0
  #text: Buffer
  #length = 0
  readonly #ends: number[] = []
  #last: { time: number; id: Buffer } | null = null

  /** Writes into the buffer, or into a larger one when it is too small. */
  constructor(buffer: Buffer = Buffer.allocUnsafeSlow(SMALL)) {
    this.#text = buffer
  }

  add(event: { time: number; id: Buffer; document: Buffer }): void {
    const { document } = event
    // One byte for the comma before it, one for the closing bracket.
    const needed = this.#length + document.length + 2
    if (needed > this.#text.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#text.length))
      this.#text.copy(larger, 0, 0, this.#length)
      this.#text = larger
    }
    this.#text[this.#length] = COMMA
    document.copy(this.#text, this.#length + 1)
    this.#length += 1 + document.length
    this.#ends.push(this.#length)
    this.rows++
    this.#last = event
  }

  /** The cursor of the next page; null when this one is empty. */
  get last(): { timestamp: number; id: string } | null {
    return this.#last && { timestamp: this.#last.time, id: readUuid(this.#last.id) }
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
