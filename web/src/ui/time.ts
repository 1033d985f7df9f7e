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
  return unit ? relative.format(Math.trunc(-seconds / unit[1]), unit[0]) : 'just now'
}

/** For fields of the type datetime-local, in the viewer's zone. */
export const localOf = (time: number): string => {
  const offset = new Date(time).getTimezoneOffset() * 60_000
  return new Date(time - offset).toISOString().slice(0, 16)
}
