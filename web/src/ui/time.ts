const KEY = 'gatehouse-times'

/** Read once, when the page loads: formats are made for it. */
export const inUtc = globalThis.localStorage?.getItem(KEY) === 'UTC'

/** Shows the page again, which its address describes. */
export function chooseUtc(utc: boolean): void {
  if (utc) localStorage.setItem(KEY, 'UTC')
  else localStorage.removeItem(KEY)
  window.location.reload()
}

/** For labels of fields. */
export const ZONE = inUtc ? 'UTC' : 'your time zone'

/** Instants in the zone that the viewer chose. */
export const timeFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en', { ...options, ...(inUtc && { timeZone: 'UTC' }) })

/** Minutes that the zone is ahead of UTC. */
export const offsetAt = (time: number): number => (inUtc ? 0 : -new Date(time).getTimezoneOffset())

const day = new Intl.DateTimeFormat('en', { dateStyle: 'long' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** With their seconds, and the smallest number that is told in them. */
const UNITS = [
  ['year', 31_557_600, 2],
  ['month', 2_629_800, 3],
  ['day', 86_400, 1],
  ['hour', 3600, 1],
  ['minute', 60, 1],
] as const

export const asDay = (time: string): string => day.format(new Date(time))

/** Relative time in the largest unit that fits; times to come as well. */
export function ago(time: string): string {
  const seconds = (Date.now() - Date.parse(time)) / 1000
  const unit = UNITS.find(([, length, least]) => Math.abs(seconds) >= least * length)
  if (unit) return relative.format(Math.trunc(-seconds / unit[1]), unit[0])
  return seconds < -1 ? 'in a moment' : 'just now'
}

/** For fields of the type datetime-local. */
export const localOf = (time: number): string =>
  new Date(time + offsetAt(time) * 60_000).toISOString().slice(0, 16)

/** The instant that such a field means. */
export const instantOf = (local: string): string =>
  new Date(inUtc ? `${local}Z` : local).toISOString()
