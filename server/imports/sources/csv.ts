import { Parser } from 'csv-parse'
import { codeOf } from '../../platform/errors.ts'
import { SourceFailure } from './failures.ts'
import { excerptOf, MAX_RECORD, tooLong } from './json.ts'
import type { Delimiter } from './settings.ts'
import type { SourceRecord } from './source.ts'

const DELIMITERS: Delimiter[] = [',', ';', '\t']
/** A row that is longer yet has not ended is not waited for: the parser keeps it in memory. */
const MAX_UNFINISHED = 1.25 * MAX_RECORD

interface Row {
  record: string[]
  raw: string
  /** Since the beginning of the file. */
  info: { empty_lines: number }
}

/** Excel writes and reads the delimiter in a row before the header, as `sep=;`. */
const isHint = ({ record }: Row): boolean =>
  record.length === 2 && record[0]!.toLowerCase() === 'sep=' && record[1] === ''

/** The one that the header row has most often, outside of quotes. */
function delimiterOf(header: string): Delimiter {
  const bare = header.replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!
}

/** The parser takes text after a closing quote for a part of the field. */
function hasTextAfterQuote({ record, raw }: Row, delimiter: string): boolean {
  // Its fields then keep their first quote.
  if (!record.some((field) => field.startsWith('"'))) return false
  let at = raw.search(/[^\r\n]/)
  while (at < raw.length) {
    if (raw[at] === '"') {
      at = raw.indexOf('"', at + 1) + 1
      // Two quotes stand for one.
      while (raw[at] === '"') at = raw.indexOf('"', at + 1) + 1
      if (at < raw.length && !['\r', '\n', delimiter].includes(raw[at]!)) return true
    }
    const end = raw.indexOf(delimiter, at)
    if (end < 0) return false
    at = end + 1
  }
  return false
}

const badHeader = (words: string) => new SourceFailure('misconfigured', `The header row ${words}`)
const unreadableHeader = () => badHeader('cannot be read: its quotes are wrong, or it is too long')

function namesIn(row: Row, delimiter: string): string[] {
  if (row.raw.length > MAX_RECORD || hasTextAfterQuote(row, delimiter)) throw unreadableHeader()
  const names = row.record.map((name) => name.trim())
  if (names.includes('')) throw badHeader(`has no name for column ${names.indexOf('') + 1}`)
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw badHeader(`has the name ${name.slice(0, 100)} twice`)
    seen.add(name)
  }
  return names
}

/** Lines before the header are kept until its end is seen, since it tells the delimiter. */
class Header {
  #pieces: string[] = []
  #length = 0
  #begun = false

  /** The text up to here, once the header is complete. */
  add(piece: string): string | undefined {
    this.#pieces.push(piece)
    this.#length += piece.length
    const from = this.#begun ? 0 : piece.search(/\S/)
    this.#begun ||= from >= 0
    const isComplete = this.#begun && /[\r\n]/.test(piece.slice(from))
    return isComplete || this.#length > MAX_RECORD ? this.text() : undefined
  }

  text(): string {
    return this.#pieces.join('')
  }
}

/** RFC 4180, as it arrives. The first row gives the names. Holds one row. */
export class CsvRecords {
  readonly #header = new Header()
  #delimiter: Delimiter | null
  #parser: Parser | undefined
  #names: string[] | undefined
  #line = 1
  #emptyLines = 0
  #hinted = false
  /** Characters since the last row. */
  #unfinished = 0

  constructor(delimiter: Delimiter | null) {
    this.#delimiter = delimiter
  }

  push(piece: string): SourceRecord[] {
    if (this.#parser) return this.#parse(this.#parser, piece)
    const start = this.#header.add(piece)
    return start === undefined ? [] : this.#begin(start)
  }

  async end(): Promise<SourceRecord[]> {
    const records = this.#parser ? [] : this.#begin(this.#header.text())
    const parser = this.#parser!.end()
    try {
      for await (const row of parser) records.push(...this.#take(row as Row))
    } catch (error) {
      if (codeOf(error) !== 'CSV_QUOTE_NOT_CLOSED') throw error
      if (!this.#names) throw unreadableHeader()
      // The rest of the rows may be inside of the quotes.
      const { empty_lines } = parser.info
      const line = this.#line + empty_lines - this.#emptyLines
      const message = `A quote that opens in the row of line ${line} never closes`
      throw new SourceFailure('rejected', message, { cause: error })
    }
    return records
  }

  #begin(start: string): SourceRecord[] {
    const header = start.trimStart()
    const end = header.search(/[\r\n]/)
    this.#delimiter ??= delimiterOf(end < 0 ? header : header.slice(0, end))
    const parser = new Parser({
      delimiter: this.#delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      // Quotes inside of a field that does not start with one are text.
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
      raw: true,
      // Before its second row the parser expects no number of fields. For each row of another number it would build an
      // error with a copy of its state, which takes many times as long as to read the row.
      on_record: (row) => {
        Object.assign(parser.info, { records: 0 })
        return row
      },
    })
    this.#parser = parser
    return this.#parse(parser, start)
  }

  #parse(parser: Parser, piece: string): SourceRecord[] {
    const records: SourceRecord[] = []
    parser.write(piece)
    this.#unfinished += piece.length
    // It parses while it is written to: the rows are there.
    for (let row = parser.read() as Row | null; row; row = parser.read() as Row | null) {
      this.#unfinished = 0
      records.push(...this.#take(row))
    }
    if (this.#unfinished > MAX_UNFINISHED)
      throw new SourceFailure('rejected', `The row of line ${this.#line} does not end`)
    return records
  }

  /** None for a row that is no record. */
  #take(row: Row): SourceRecord[] {
    const line = this.#line + row.info.empty_lines - this.#emptyLines
    this.#emptyLines = row.info.empty_lines
    this.#line = line + 1
    for (const field of row.record)
      for (let at = field.indexOf('\n'); at >= 0; at = field.indexOf('\n', at + 1)) this.#line++
    if (this.#names) return [this.#record(row, this.#names, `line ${line}`)]
    if (!isHint(row) || this.#hinted) this.#names = namesIn(row, this.#delimiter!)
    this.#hinted = true
    return []
  }

  #record(row: Row, names: string[], where: string): SourceRecord {
    const { record: fields, raw } = row
    if (raw.length > MAX_RECORD) return tooLong(where)
    const wrong = (words: string): SourceRecord => ({
      problem: `${where} has ${words}`,
      excerpt: excerptOf(fields.join(', ')),
    })
    if (hasTextAfterQuote(row, this.#delimiter!)) return wrong('text after a closing quote')
    if (fields.length !== names.length)
      return wrong(`${fields.length} fields instead of ${names.length}`)
    return { record: Object.fromEntries(names.map((name, at) => [name, fields[at]!])) }
  }
}
