/** RFC 3339 with any number of fractional digits; the zone may be missing and is then UTC. */
const FORM = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?\s*([Zz]|[+-]\d\d:?\d\d)?$/

/** The database knows no year 0, and five digits are another form. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')
export const isTime = (milliseconds: number): boolean =>
  milliseconds >= EARLIEST && milliseconds <= LATEST

/** As JavaScript writes it, with days that every month has: Date.parse corrects nothing here. */
const PLAIN = /^\d{4}-(?:0\d|1[0-2])-(?:[01]\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** Milliseconds since the epoch, or null for what is no time. Digits beyond the millisecond are cut off. */
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
  // Date.parse lets 31 February pass as 3 March.
  const local = new Date(Date.parse(`${text.slice(0, 23)}Z`))
  return local.getUTCDate() === Number(day) ? time : null
}
