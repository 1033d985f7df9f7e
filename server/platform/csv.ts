// RFC 4180, safe to open in a spreadsheet.

const END = '\r\n'

/**
 * Spreadsheets evaluate a cell with such a first character as a formula, and events contain untrusted input. Includes
 * the full-width forms. (OWASP, CSV Injection)
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

const quoted = (text: string): string =>
  /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

const plain = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')

/** A JSON value as a cell. Numbers stay numbers; text never becomes a formula. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = Array.isArray(value) ? value.map(plain).join('; ') : plain(value)
  return quoted(harmless(text))
}

export const row = (values: readonly unknown[]): string => values.map(cell).join(',') + END
