/** A spreadsheet would run a cell that begins like this as a formula. */
const FORMULA = /^[=+\-@\t\r]/

const cell = (text: string): string => {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvOf = (rows: string[][]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
