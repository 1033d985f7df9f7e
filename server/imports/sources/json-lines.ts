import { messageOf } from '../../platform/errors.ts'
import { excerptOf, MAX_RECORD, tooLong, toRecord } from './json.ts'
import type { SourceRecord } from './source.ts'

/** One JSON object per line; empty lines do not count. Holds one line. */
export class JsonLines {
  #text = ''
  #line = 1
  #tooLong = false

  push(piece: string): SourceRecord[] {
    const records: SourceRecord[] = []
    let from = 0
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', from)) {
      this.#keep(piece.slice(from, end))
      records.push(...this.end())
      this.#line++
      from = end + 1
    }
    this.#keep(piece.slice(from))
    return records
  }

  /** The line so far. */
  end(): SourceRecord[] {
    const where = `line ${this.#line}`
    const text = this.#text.trim()
    this.#text = ''
    if (this.#tooLong) {
      this.#tooLong = false
      return [tooLong(where)]
    }
    if (text === '') return []
    try {
      return [toRecord(JSON.parse(text), where)]
    } catch (error) {
      return [{ problem: `${where} is not JSON: ${messageOf(error)}`, excerpt: excerptOf(text) }]
    }
  }

  #keep(piece: string): void {
    this.#tooLong ||= this.#text.length + piece.length > MAX_RECORD
    this.#text = this.#tooLong ? '' : this.#text + piece
  }
}
