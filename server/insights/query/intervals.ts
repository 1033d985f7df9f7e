import { invalid } from '../../platform/errors.ts'
import { numberOf, textOf } from '../scalars.ts'

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
/** About a century, the largest step that the database handles. */
const MAX_STEP = 100 * 366 * 86_400

interface Step {
  seconds: number
  offsetSeconds: number
}

export function readStep(body: Record<string, unknown>): Step {
  const name = textOf(body.interval_unit)
  const unit = Object.hasOwn(SECONDS, name) ? SECONDS[name] : undefined
  if (unit === undefined)
    throw invalid('bad_interval_unit', 'interval_unit must be one of s, m, h, d, w')
  const value = numberOf(body.interval_value ?? 1)
  if (!Number.isInteger(value) || value < 1)
    throw invalid('bad_interval_value', 'interval_value must be a positive whole number')
  if (unit * value > MAX_STEP)
    throw invalid('bad_interval_value', 'interval_value: a step may be at most 100 years')
  const { timezone } = body
  if (timezone === undefined || timezone === null || timezone === '')
    return { seconds: unit * value, offsetSeconds: 0 }
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(textOf(timezone))
  if (!match) throw invalid('bad_timezone', 'timezone must be an offset such as -0500')
  const offset = Number(match[2]) * 3600 + Number(match[3]) * 60
  return { seconds: unit * value, offsetSeconds: match[1] === '-' ? -offset : offset }
}

interface TimeBucket {
  key: number
  key_as_string: string
  doc_count: number
}

/** Adds the empty steps between the first and the last, which a chart needs. Made one by one, as they are sent. */
export function fillSteps(
  counts: { start: number; doc_count: number }[],
  { seconds }: Step,
  maxSteps: number,
): Iterable<TimeBucket> {
  const [first, last] = [counts[0], counts.at(-1)]
  if (!first || !last) return []
  const width = seconds * 1000
  const total = (last.start - first.start) / width + 1
  if (total > maxSteps) {
    throw invalid(
      'too_many_buckets',
      `interval: ${Math.round(total)} steps are more than the ${maxSteps} allowed; choose a larger interval`,
    )
  }
  return stepsBetween(first.start, last.start, width, counts)
}

function* stepsBetween(
  first: number,
  last: number,
  width: number,
  counts: { start: number; doc_count: number }[],
): Generator<TimeBucket> {
  let at = 0
  for (let key = first; key <= last; key += width) {
    const doc_count = counts[at]?.start === key ? counts[at++]!.doc_count : 0
    yield { key, key_as_string: new Date(key).toISOString(), doc_count }
  }
}
