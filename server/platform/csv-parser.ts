export interface CsvRow {
  /** Where the row begins; the first line is 1. */
  line: number
  fields: string[]
  /** Why the fields cannot be relied on. */
  problem?: 'too_long' | 'bad_quotes' | 'open_quote'
}

type State = 'start' | 'plain' | 'quoted' | 'closed'

/**
 * RFC 4180, as it arrives: a row is returned once its end was seen. Rows end with CRLF, LF or CR; empty lines do not count.
 * Quotes inside of a field that does not start with one are text. Holds one row, of at most `maxLength` characters.
 */
export class CsvParser {
  readonly #delimiter: string
  readonly #maxLength: number
  #state: State = 'start'
  #fields: string[] = []
  #field = ''
  #length = 0
  #problem: CsvRow['problem']
  #line = 1
  #began = 1
  #afterReturn = false

  constructor(delimiter: string, maxLength: number) {
    this.#delimiter = delimiter
    this.#maxLength = maxLength
  }

  push(text: string): CsvRow[] {
    const rows: CsvRow[] = []
    let at = 0
    while (at < text.length) {
      const char = text[at]!
      if (this.#afterReturn) {
        this.#afterReturn = false
        if (char === '\n') {
          at++
          continue
        }
      }
      if (this.#state === 'quoted') {
        at = this.#quoted(text, at)
        continue
      }
      if (char === '\n' || char === '\r') {
        this.#afterReturn = char === '\r'
        rows.push(...this.#endRow())
        this.#line++
        this.#began = this.#line
      } else if (char === this.#delimiter) this.#endField()
      else if (char === '"' && this.#state === 'start') this.#state = 'quoted'
      else if (char === '"' && this.#state === 'closed') {
        // Two quotes stand for one.
        this.#keep('"')
        this.#state = 'quoted'
      } else {
        at = this.#plain(text, at)
        continue
      }
      at++
    }
    return rows
  }

  end(): CsvRow[] {
    if (this.#state === 'quoted') this.#problem ??= 'open_quote'
    return this.#endRow()
  }

  /** Up to the next quote. */
  #quoted(text: string, from: number): number {
    const found = text.indexOf('"', from)
    const end = found < 0 ? text.length : found
    const part = text.slice(from, end)
    for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) this.#line++
    this.#keep(part)
    if (found >= 0) this.#state = 'closed'
    return end + 1
  }

  /** Up to the next delimiter or the end of the line. */
  #plain(text: string, from: number): number {
    if (this.#state === 'closed') this.#problem ??= 'bad_quotes'
    this.#state = 'plain'
    let end = from + 1
    for (; end < text.length; end++) {
      const char = text[end]
      if (char === this.#delimiter || char === '\n' || char === '\r') break
    }
    this.#keep(text.slice(from, end))
    return end
  }

  #keep(part: string): void {
    this.#length += part.length
    if (this.#length > this.#maxLength) {
      this.#problem ??= 'too_long'
      this.#fields = []
      this.#field = ''
    } else this.#field += part
  }

  #endField(): void {
    this.#length++
    // A row of delimiters only is too long, too.
    this.#keep('')
    if (this.#problem !== 'too_long') this.#fields.push(this.#field)
    this.#field = ''
    this.#state = 'start'
  }

  #endRow(): CsvRow[] {
    const empty = this.#state === 'start' && this.#fields.length === 0
    this.#endField()
    const row: CsvRow = {
      line: this.#began,
      fields: this.#fields,
      ...(this.#problem && { problem: this.#problem }),
    }
    this.#fields = []
    this.#length = 0
    this.#problem = undefined
    return empty && !row.problem ? [] : [row]
  }
}
