import Negotiator from 'negotiator'
import { row } from '../../platform/csv.ts'
import { invalid } from '../../platform/errors.ts'
import type { EventLimits } from '../../platform/limits.ts'
import { Pace } from '../../platform/pace.ts'
import type { EventPage } from '../query/event-page.ts'
import { type EventQuery, readEventQuery } from '../query/event-query.ts'
import { projector } from '../query/projection.ts'
import { textOf } from '../scalars.ts'
import { DOCUMENT, defaultColumns, valueAt } from './columns.ts'

/** Memory holds one page; with smaller ones the cost per statement would matter. */
export const PAGE = 2000

export const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const
type Format = keyof typeof TYPES

interface ExportRequest {
  query: EventQuery
  format: Format
  /** Maximum number of rows. */
  maxRows: number
}

type Body = Record<string, unknown>

function readFormat(raw: unknown, accept: string | undefined): Format {
  if (raw === undefined || raw === null) {
    const formats = Object.keys(TYPES) as Format[]
    const negotiator = new Negotiator({ headers: { accept: accept ?? '' } })
    const type = negotiator.mediaType(Object.values(TYPES))
    return formats.find((format) => TYPES[format] === type) ?? 'csv'
  }
  const format = textOf(raw).toLowerCase()
  if (format !== 'csv' && format !== 'ndjson')
    throw invalid('bad_format', 'format must be csv or ndjson')
  return format
}

/** No default, unlike in a query: a typo would export everything. */
function readMaxRows(raw: unknown): number {
  if (raw === undefined || raw === null) return Number.POSITIVE_INFINITY
  if (typeof raw !== 'number' || !Number.isSafeInteger(raw) || raw < 1)
    throw invalid('bad_limit', 'limit must be a positive whole number')
  return raw
}

export function readExport(
  body: Body,
  accept: string | undefined,
  now: number,
  max: EventLimits,
): ExportRequest {
  return {
    query: readEventQuery(body, now, max),
    format: readFormat(body.format, accept),
    maxRows: readMaxRows(body.limit),
  }
}

/**
 * Fixes the end of the query: the watermark moves on with every page, and an export of a busy service would never
 * catch up with it.
 */
export const boundedBy = (query: EventQuery, watermark: number): EventQuery => ({
  ...query,
  to: Math.min(query.to ?? watermark - 1, watermark - 1),
})

/** Yields pages; the next one is read on demand. */
export async function* exportPages(
  read: (query: EventQuery) => Promise<EventPage>,
  query: EventQuery,
  maxRows: number,
): AsyncGenerator<EventPage> {
  let { after, skip } = query
  for (let left = maxRows; left > 0; ) {
    const limit = Math.min(PAGE, left)
    const page = await read({ ...query, after, skip, limit })
    if (page.rows === 0) return
    after = page.last
    skip = 0
    left -= page.rows
    yield page
    if (page.rows < limit) return
  }
}

/** In JSON, line breaks occur only between tokens, so a space is equivalent. */
const oneLine = (document: string): string => document.replace(/[\r\n]+/g, ' ')

interface RowWriter {
  head: string
  /** The text of one stored document in the export, including the line end. */
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

/** Rows written at once; other requests run in between. */
const BATCH = 100

/** The text of an export, in chunks of some rows. */
export async function* exportText(
  writer: RowWriter,
  pages: AsyncIterable<EventPage>,
): AsyncGenerator<string> {
  // A client that takes everything at once would never let them.
  const pace = new Pace()
  if (writer.head !== '') yield writer.head
  for await (const page of pages) {
    let text = ''
    let rows = 0
    for (const document of page.documents()) {
      text += writer.write(document)
      if (++rows % BATCH !== 0) continue
      yield text
      text = ''
      const wait = pace.breathe()
      if (wait) await wait
    }
    if (text !== '') yield text
  }
}

const compact = (time: number): string => new Date(time).toISOString().replace(/[-:]|\.\d+/g, '')

/** events-20261101T000000Z-20261108T000000Z.csv: sortable, and valid on every file system. */
export const fileName = (query: EventQuery, format: Format): string =>
  `events-${compact(query.from)}-${compact(Math.max(query.from, query.to ?? query.from))}.${format}`
