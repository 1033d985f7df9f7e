import { row as csvRow } from '../platform/csv.ts'
import type { Row } from './content.ts'
import type { ReportFormat } from './schema.ts'

/** Serializes rows in one file format. */
interface RowText {
  head: string
  rows(rows: readonly Row[]): string
  end: string
}

function jsonText(columns: readonly string[]): RowText {
  let between = '\n'
  const object = (row: Row): string => {
    const text = `${between}${JSON.stringify(Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])))}`
    between = ',\n'
    return text
  }
  return { head: '[', rows: (rows) => rows.map(object).join(''), end: '\n]\n' }
}

const csvText = (columns: readonly string[]): RowText => ({
  head: csvRow(columns),
  rows: (rows) => rows.map(csvRow).join(''),
  end: '',
})

export const FORMATS: Record<ReportFormat, (columns: readonly string[]) => RowText> = {
  CSV: csvText,
  JSON: jsonText,
}
export const CONTENT_TYPES: Record<ReportFormat, string> = {
  CSV: 'text/csv',
  JSON: 'application/json',
}

/** Such as users-to-devices-20261115T103000Z.csv: sorts by time, and is valid on every file system. */
export const fileName = (type: string, createdAt: string, format: ReportFormat): string =>
  `${type}-${createdAt.replace(/[-:]|\.\d+/g, '')}.${format.toLowerCase()}`
