import { CsvParser, type CsvRow } from '../../platform/csv-parser.ts'
import { SourceFailure } from './failures.ts'
import { excerptOf, MAX_RECORD, tooLong } from './json.ts'
import type { Delimiter } from './settings.ts'
import type { SourceRecord } from './source.ts'

const DELIMITERS: Delimiter[] = [',', ';', '\t']

/** Excel writes and reads the delimiter in a row before the header, as `sep=;`. */
const isHint = ({ fields }: CsvRow): boolean =>
  fields.length === 2 && fields[0]!.toLowerCase() === 'sep=' && fields[1] === ''

/** The one that the header row has most often, outside of quotes. */
function delimiterOf(header: string): Delimiter {
  const bare = header.replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!
}

function namesIn({ fields, problem }: CsvRow): string[] {
  const bad = (words: string) => new SourceFailure('misconfigured', `The header row ${words}`)
  if (problem) throw bad('cannot be read: its quotes are wrong, or it is too long')
  const names = fields.map((name) => name.trim())
  if (names.includes('')) throw bad(`has no name for column ${names.indexOf('') + 1}`)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw bad(`has the name ${twice.slice(0, 100)} twice`)
  return names
}

/** The first row gives the names. Holds one row. */
export class CsvRecords {
  readonly #given: Delimiter | null
  #start = ''
  #parser: CsvParser | undefined
  #names: string[] | undefined

  constructor(delimiter: Delimiter | null) {
    this.#given = delimiter
  }

  push(piece: string): SourceRecord[] {
    if (this.#parser) return this.#records(this.#parser.push(piece))
    this.#start += piece
    const [header] = /^\s*[^\r\n]+(?=[\r\n])/.exec(this.#start) ?? []
    if (header === undefined && this.#start.length <= MAX_RECORD) return []
    return this.#begin(header ?? this.#start)
  }

  end(): SourceRecord[] {
    const first = this.#parser ? [] : this.#begin(this.#start)
    return [...first, ...this.#records(this.#parser!.end())]
  }

  #begin(header: string): SourceRecord[] {
    this.#parser = new CsvParser(this.#given ?? delimiterOf(header), MAX_RECORD)
    const text = this.#start
    this.#start = ''
    return this.#records(this.#parser.push(text))
  }

  #records(rows: CsvRow[]): SourceRecord[] {
    if (!this.#names && rows[0] && isHint(rows[0])) rows.shift()
    if (!this.#names && rows.length > 0) this.#names = namesIn(rows.shift()!)
    return rows.map((row) => this.#record(row))
  }

  #record({ line, fields, problem }: CsvRow): SourceRecord {
    const names = this.#names!
    const where = `line ${line}`
    // The rest of the rows may be inside of the quotes.
    if (problem === 'open_quote')
      throw new SourceFailure('rejected', `A quote that opens in the row of ${where} never closes`)
    if (problem === 'too_long') return tooLong(where)
    const wrong = (words: string): SourceRecord => ({
      problem: `${where} has ${words}`,
      excerpt: excerptOf(fields.join(', ')),
    })
    if (problem === 'bad_quotes') return wrong('text after a closing quote')
    if (fields.length !== names.length)
      return wrong(`${fields.length} fields instead of ${names.length}`)
    return { record: Object.fromEntries(names.map((name, at) => [name, fields[at]!])) }
  }
}
