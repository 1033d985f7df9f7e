// RFC 4180, for people who open it in a spreadsheet.

const END = '\r\n'

/**
 * A spreadsheet runs a cell that begins like this as a formula, and events repeat what strangers typed. Wide
 * forms of the signs count, too. (OWASP, CSV Injection)
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

const quoted = (text: string): string =>
  /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

const plain = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')

/** A JSON value as a cell. Numbers stay numbers; whatever comes from text can never become a formula. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = Array.isArray(value) ? value.map(plain).join('; ') : plain(value)
  return quoted(harmless(text))
}

export const row = (values: readonly unknown[]): string => values.map(cell).join(',') + END
