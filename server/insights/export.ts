import { invalid } from '../platform/errors.ts'
import { row } from './csv.ts'
import { type EventQuery, readEventQuery } from './event-query.ts'
import { DOCUMENT, defaultColumns, valueAt } from './export-columns.ts'
import { preferred } from './export-negotiation.ts'
import { projector } from './projection.ts'

/** Memory holds one page; below this size the statements would begin to count. */
export const PAGE = 2000

export const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const
export type Format = keyof typeof TYPES

export interface ExportRequest {
  query: EventQuery
  format: Format
  /** The most rows in all. */
  most: number
}

type Body = Record<string, unknown>

function readFormat(raw: unknown, accept: string | undefined): Format {
  if (raw === undefined || raw === null) {
    const formats = Object.keys(TYPES) as Format[]
    const type = preferred(accept, Object.values(TYPES))
    return formats.find((format) => TYPES[format] === type) ?? 'csv'
  }
  const format = String(raw).toLowerCase()
  if (format !== 'csv' && format !== 'ndjson')
    throw invalid('bad_format', 'format must be csv or ndjson')
  return format
}

/** Unlike that of a query, it has no default to fall back to: a mistake would export everything. */
function readMost(raw: unknown): number {
  if (raw === undefined || raw === null) return Number.POSITIVE_INFINITY
  if (typeof raw !== 'number' || !Number.isSafeInteger(raw) || raw < 1)
    throw invalid('bad_limit', 'limit must be a positive whole number')
  return raw
}

export function readExport(body: Body, accept: string | undefined, now: number): ExportRequest {
  return {
    query: readEventQuery(body, now),
    format: readFormat(body.format, accept),
    most: readMost(body.limit),
  }
}

/**
 * The query with an end that stays where it is: the watermark moves on with every page, and an export of a
 * busy service would never catch up with it.
 */
export const boundedBy = (query: EventQuery, watermark: number): EventQuery => ({
  ...query,
  to: Math.min(query.to ?? watermark - 1, watermark - 1),
})

export interface ExportPage {
  rows: number
  /** Where the next page begins; null when this one is empty. */
  last: EventQuery['after']
  /** Documents as stored, separated by commas, in pieces. */
  pieces: string[]
}

/** Page after page, the next one when it is asked for. */
export async function* exportPages(
  read: (query: EventQuery) => Promise<ExportPage>,
  query: EventQuery,
  most: number,
): AsyncGenerator<string[]> {
  let { after, skip } = query
  for (let left = most; left > 0; ) {
    const limit = Math.min(PAGE, left)
    const { rows, last, pieces } = await read({ ...query, after, skip, limit })
    if (rows === 0) return
    after = last
    skip = 0
    left -= rows
    yield pieces
    if (rows < limit) return
  }
}

/**
 * Takes documents apart that are stored one behind the other with commas between, without reading them as
 * JSON: only quotes and braces count.
 */
export function* splitDocuments(documents: string): Generator<string> {
  let start = 0
  let depth = 0
  for (let at = 0; at < documents.length; at++) {
    const code = documents.charCodeAt(at)
    if (code === 34) {
      // To the end of the string; a backslash takes the next character with it.
      for (at++; documents.charCodeAt(at) !== 34; at++) if (documents.charCodeAt(at) === 92) at++
    } else if (code === 123 || code === 91) depth++
    else if (code === 125 || code === 93) {
      depth--
      if (depth === 0) {
        yield documents.slice(start, at + 1)
        // Past the comma.
        start = ++at + 1
      }
    }
  }
}

/** In JSON a line break can only stand between words, where a space says the same. */
const oneLine = (document: string): string => document.replace(/[\r\n]+/g, ' ')

export interface RowWriter {
  head: string
  /** The text of one stored document in the export, with its line end. */
  write(document: string): string
}

function csvWriter({ fields, services }: EventQuery): RowWriter {
  const columns = fields ? [...new Set(fields)] : defaultColumns(services)
  const paths = columns.map((name) => (name === DOCUMENT && !fields ? null : name.split('.')))
  return {
    head: row(columns),
    write(document) {
      const event: unknown = JSON.parse(document)
      return row(paths.map((path) => (path ? valueAt(event, path) : oneLine(document))))
    },
  }
}

function ndjsonWriter({ fields }: EventQuery): RowWriter {
  const project = fields && projector(fields)
  return {
    head: '',
    write: (document) =>
      `${project ? JSON.stringify(project(JSON.parse(document))) : oneLine(document)}\n`,
  }
}

export const writerOf = ({ format, query }: ExportRequest): RowWriter =>
  format === 'csv' ? csvWriter(query) : ndjsonWriter(query)

/** Rows that are written at once: others have their turn in between. */
const BATCH = 500

/** The text of an export in pieces of some hundred rows. */
export async function* exportText(
  writer: RowWriter,
  pages: AsyncIterable<string[]>,
): AsyncGenerator<string> {
  if (writer.head !== '') yield writer.head
  for await (const pieces of pages) {
    // One after the other is let go as it is written.
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
      let text = ''
      let rows = 0
      for (const document of splitDocuments(piece)) {
        text += writer.write(document)
        if (++rows % BATCH !== 0) continue
        yield text
        text = ''
      }
      if (text !== '') yield text
    }
  }
}

const compact = (time: number): string => new Date(time).toISOString().replace(/[-:]|\.\d+/g, '')

/** events-20261101T000000Z-20261108T000000Z.csv: names that sort, and that every file system takes. */
export const fileName = (query: EventQuery, format: Format): string =>
  `events-${compact(query.from)}-${compact(Math.max(query.from, query.to ?? query.from))}.${format}`
