import { type Api, dataOf } from '../../api/organization.ts'
import { SIGN_INS } from '../insights/sign-ins.ts'
import { filled, type Span, stepOf, zoneAt } from '../insights/time-range.ts'

// What happened lately, by the queries that Insights shows behind each chart.

const DAY = 86_400_000
const MAX_SERIES = 4
const MAX_REASONS = 6

const lastDays = (days: number): Span => ({ from: Date.now() - days * DAY, to: Date.now() })

const bodyOf = (span: Span, service: string[], and?: object[]) => ({
  service,
  start_time: new Date(span.from).toISOString(),
  ...(and && { search_term: { and } }),
})

async function perStep(api: Api, span: Span, body: ReturnType<typeof bodyOf>, hours?: number) {
  const step = hours ? ({ unit: 'h', value: hours, ms: hours * 3_600_000 } as const) : stepOf(span)
  const { buckets } = dataOf(
    await api.insights.POST('/v1/events/interval', {
      body: {
        ...body,
        interval_unit: step.unit,
        interval_value: step.value,
        timezone: zoneAt(span.to),
      },
    }),
  )
  return filled(buckets, span, step)
}

/** One row per step, with the count of each series. The grid is that of the series with the most events. */
function rowsOf(series: { name: string; bars: { time: number; count: number }[] }[]) {
  const [first] = series
  return (first?.bars ?? []).map(({ time }) => ({
    time,
    ...Object.fromEntries(
      series.map(({ name, bars }) => [name, bars.find((bar) => bar.time === time)?.count ?? 0]),
    ),
  }))
}

export async function eventsPerHour(api: Api) {
  const span = lastDays(1)
  const { buckets } = dataOf(
    await api.insights.POST('/v1/events/distinct', {
      body: { ...bodyOf(span, ['all']), field: 'service' },
    }),
  )
  const names = buckets.slice(0, MAX_SERIES).map(({ key }) => key)
  const series = await Promise.all(
    names.map(async (name) => ({ name, bars: await perStep(api, span, bodyOf(span, [name]), 1) })),
  )
  return { names, rows: rowsOf(series) }
}

export async function signInsByOutcome(api: Api) {
  const span = lastDays(7)
  const outcomes = [
    { name: 'Succeeded', success: true },
    { name: 'Failed', success: false },
  ]
  const series = await Promise.all(
    outcomes.map(async ({ name, success }) => ({
      name,
      bars: await perStep(
        api,
        span,
        bodyOf(span, ['all'], [{ event_type: SIGN_INS }, { success }]),
        6,
      ),
    })),
  )
  return { names: outcomes.map(({ name }) => name), rows: rowsOf(series) }
}

export async function deniedReasons(api: Api) {
  const span = lastDays(7)
  const and = [{ event_type: SIGN_INS }, { success: false }]
  const { buckets } = dataOf(
    await api.insights.POST('/v1/events/distinct', {
      body: { ...bodyOf(span, ['all'], and), field: 'error_message' },
    }),
  )
  return buckets.slice(0, MAX_REASONS)
}
