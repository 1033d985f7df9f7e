import pg from 'pg'
import type { Sql } from './sql.ts'

export interface RowDescription {
  fields: { name: string; dataTypeID: number }[]
}

export interface Rows {
  rows: unknown[]
  rowCount: number
}
export type ReadRow = (values: (string | null)[]) => Record<string, unknown>

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils

/** Parses rows of one description, in text format. */
export function rowReader({ fields }: RowDescription): ReadRow {
  const columns = fields.map(({ name, dataTypeID }) => ({
    name,
    parse: pg.types.getTypeParser(dataTypeID, 'text'),
  }))
  return (values) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < columns.length; at++) {
      const { name, parse } = columns[at]!
      const value = values[at]!
      row[name] = value === null ? null : parse(value)
    }
    return row
  }
}

/** A statement that has been sent, or is about to be. */
export class PendingStatement {
  /** The name it is prepared under; empty for a text that may never be sent again. */
  readonly name: string
  readonly text: string
  /** Serialized here, so that an invalid value fails before the pipeline is sent. */
  readonly values: unknown[]
  readonly result: Promise<Rows>
  readonly #end: { resolve(result: Rows): void; reject(error: unknown): void }
  #rows: unknown[] = []
  #rowCount = 0
  #unreadable: unknown = null
  readRow: ReadRow | null = null

  constructor(query: Sql) {
    this.text = query.text
    this.values = query.values.map(prepareValue)
    this.name = query.name === undefined ? '' : `pipeline_${query.name}`
    const { promise, ...end } = Promise.withResolvers<Rows>()
    this.result = promise
    this.#end = end
  }

  /** Discards rows of an earlier attempt. */
  begin(readRow: ReadRow | null): void {
    this.readRow = readRow
    this.#rows = []
    this.#unreadable = null
  }
  addRow(values: (string | null)[]): void {
    // An exception here would stop the driver from reading on.
    try {
      this.#rows.push(this.readRow!(values))
    } catch (error) {
      this.#unreadable = error
    }
  }
  count(rowCount: number): void {
    this.#rowCount = rowCount
  }
  settle(): void {
    if (this.#unreadable) this.fail(this.#unreadable)
    else this.#end.resolve({ rows: this.#rows, rowCount: this.#rowCount })
  }
  fail(error: unknown): void {
    this.#end.reject(error)
  }
}
