import { type Api, dataOf } from '../../api/organization.ts'
import { filled, type Span, zoneAt } from '../insights/time-range.ts'
import { useRead } from '../reads.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

const readCounts = async (api: Api) => dataOf(await api.management.GET('/v2/attention'))
export type Counts = Awaited<ReturnType<typeof readCounts>>

/** For the cards and the checklist, in one call. */
export const useCounts = () => useRead(['home', 'counts'], readCounts)

interface Series {
  name: string
  buckets: { key: number; doc_count: number }[]
}

/** One row per step, with the count of each series. The grid is that of the first with events. */
function chartOf(series: Series[], days: number, hours: number) {
  const span: Span = { from: Date.now() - days * DAY, to: Date.now() }
  const phase = series.find(({ buckets }) => buckets.length > 0)?.buckets ?? []
  const rows = filled(phase, span, { ms: hours * HOUR }).map(({ time }) => ({
    time,
    // Apart: a bar is drawn with the members of its row, and there is a service named radius.
    counts: Object.fromEntries(
      series.map(({ name, buckets }) => [
        name,
        buckets.find(({ key }) => key === time)?.doc_count ?? 0,
      ]),
    ),
  }))
  return { names: series.map(({ name }) => name), rows: phase.length > 0 ? rows : [] }
}
export type ChartData = ReturnType<typeof chartOf>

async function readActivity(api: Api) {
  const { services, signIns, deniedReasons } = dataOf(
    await api.management.GET('/v2/activity', {
      params: { query: { timezone: zoneAt(Date.now()) } },
    }),
  )
  const outcomes = signIns.map(({ success, buckets }) => ({
    name: success ? 'Succeeded' : 'Failed',
    buckets,
  }))
  return {
    events: chartOf(
      services.map(({ service, buckets }) => ({ name: service, buckets })),
      1,
      1,
    ),
    signIns: chartOf(outcomes, 7, 6),
    deniedReasons,
  }
}

export const useActivity = () => useRead(['home', 'activity'], readActivity)
