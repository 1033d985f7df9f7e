import { instantOf, inUtc, localOf, offsetAt, timeFormat } from '../../ui/time.ts'
import type { Search } from '../link.tsx'

/** A duration before now as ISO 8601, or two fixed instants. */
export type Range = { last: string } | { from: string; to: string }

export const PRESETS = [
  { last: 'PT15M', label: 'Last 15 minutes' },
  { last: 'PT1H', label: 'Last hour' },
  { last: 'PT24H', label: 'Last 24 hours' },
  { last: 'P7D', label: 'Last 7 days' },
  { last: 'P30D', label: 'Last 30 days' },
  { last: 'P90D', label: 'Last 90 days' },
]
const DEFAULT = 'PT24H'

const UNITS = [86_400_000, 3_600_000, 60_000, 1000]
const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

const lengthOf = (duration: string): number => {
  const match = DURATION.exec(duration)
  return UNITS.reduce((sum, unit, at) => sum + unit * Number(match?.[at + 1] ?? 0), 0)
}

const isTime = (text: string | undefined): text is string => !Number.isNaN(Date.parse(text ?? ''))

/** From the address; the default for whatever is not valid there. */
export function rangeOf({ from, to, last }: Search): Range {
  if (isTime(from) && isTime(to) && Date.parse(from) < Date.parse(to)) return { from, to }
  return { last: last && lengthOf(last) > 0 ? last : DEFAULT }
}

/** For the address: each form takes the place of the other. */
export const rangeParams = (range: Range) =>
  'last' in range
    ? { last: range.last === DEFAULT ? undefined : range.last, from: undefined, to: undefined }
    : { last: undefined, from: range.from, to: range.to }

export interface Span {
  from: number
  to: number
}

const startOfDay = (time: number): number =>
  Date.parse(instantOf(`${localOf(time).slice(0, 10)}T00:00`))

/** The whole day before, in the viewer's zone. */
export function yesterday(now: number): Range {
  const end = startOfDay(now) - 1
  return { from: new Date(startOfDay(end)).toISOString(), to: new Date(end).toISOString() }
}

export const spanOf = (range: Range, now: number): Span =>
  'last' in range
    ? { from: now - lengthOf(range.last), to: now }
    : { from: Date.parse(range.from), to: Date.parse(range.to) }

const instant = timeFormat({
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

export const labelOf = (range: Range): string =>
  'last' in range
    ? (PRESETS.find(({ last }) => last === range.last)?.label ?? `Last ${range.last}`)
    : `${instant.format(new Date(range.from))} – ${instant.format(new Date(range.to))}${inUtc ? ' UTC' : ''}`

const STEPS = [
  ['s', 1],
  ['s', 5],
  ['s', 15],
  ['m', 1],
  ['m', 5],
  ['m', 15],
  ['m', 30],
  ['h', 1],
  ['h', 3],
  ['h', 12],
  ['d', 1],
  ['d', 7],
] as const
const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 }
const MAX_STEPS = 96

interface Step {
  unit: 's' | 'm' | 'h' | 'd'
  value: number
  ms: number
}

/** The smallest step that gives a readable number of bars. */
export function stepOf({ from, to }: Span): Step {
  const steps = STEPS.map(([unit, value]) => ({ unit, value, ms: SECONDS[unit] * value * 1000 }))
  return steps.find(({ ms }) => (to - from) / ms <= MAX_STEPS) ?? steps.at(-1)!
}

/** Such as -0500, so that days begin at midnight in the chosen zone. */
export function zoneAt(time: number): string {
  const minutes = offsetAt(time)
  const digits = (value: number) => String(value).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}${digits(size % 60)}`
}

/** The API leaves out empty steps before the first event and after the last. */
export function filled(
  buckets: { key: number; doc_count: number }[],
  { from, to }: Span,
  { ms }: Pick<Step, 'ms'>,
): { time: number; count: number }[] {
  const phase = (buckets[0]?.key ?? from) % ms
  const counts = new Map(buckets.map(({ key, doc_count }) => [key, doc_count]))
  const first = Math.floor((from - phase) / ms) * ms + phase
  const bars = []
  for (let time = first; time < to; time += ms) bars.push({ time, count: counts.get(time) ?? 0 })
  return bars
}
