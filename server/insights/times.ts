/** RFC 3339 with any number of fractional digits; without a zone it is UTC. */
const FORM = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?\s*([Zz]|[+-]\d\d:?\d\d)?$/

/** PostgreSQL has no year 0, and years of five digits have another format. */
const MIN_TIME = Date.parse('0001-01-01T00:00:00Z')
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z')
export const isTime = (milliseconds: number): boolean =>
  milliseconds >= MIN_TIME && milliseconds <= MAX_TIME

/** JavaScript's own format, with days that exist in every month, so that Date.parse is exact. */
const PLAIN = /^\d{4}-(?:0\d|1[0-2])-(?:[01]\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** Milliseconds since the epoch, or null if invalid. Digits beyond the millisecond are truncated. */
export function parseTime(value: unknown): number | null {
  if (typeof value === 'string' && PLAIN.test(value)) {
    const quick = Date.parse(value)
    if (isTime(quick)) return quick
  }
  const match = typeof value === 'string' ? FORM.exec(value.trim()) : null
  if (!match) return null
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const offset = /[zZ]/.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${offset}`
  const time = Date.parse(text)
  if (!isTime(time)) return null
  // Date.parse accepts 31 February as 3 March.
  const local = new Date(Date.parse(`${text.slice(0, 23)}Z`))
  return local.getUTCDate() === Number(day) ? time : null
}
