import { CronExpressionParser } from 'cron-parser'
import { invalid } from '../platform/errors.ts'

/** Oftener than this a command would still be running when its next turn comes. */
const MIN_MS = 60_000

export interface Schedule {
  launchType: string
  /** Cron in UTC with a leading field for seconds, `immediate`, or nothing. */
  schedule: string
  scheduleYear: number | null
}

const REPEATED = new Set(['repeated', 'scheduled'])
const ONCE = 'one-time'

const isPlanned = ({ launchType, schedule }: Schedule): boolean =>
  (REPEATED.has(launchType) || launchType === ONCE) && !['', 'immediate'].includes(schedule.trim())

function occurrences(schedule: string, after: Date) {
  if (![5, 6].includes(schedule.trim().split(/\s+/).length))
    throw new Error('not five or six fields')
  return CronExpressionParser.parse(schedule, { currentDate: after, tz: 'UTC' })
}

/** Refuses what could never run, or would run without a pause. */
export function checkSchedule(plan: Schedule, now: Date): void {
  if (plan.launchType !== '' && REPEATED.has(plan.launchType) && plan.schedule.trim() === '')
    throw invalid('schedule_missing', 'schedule: is needed for a repeated command')
  if (!isPlanned(plan)) return
  let first: Date
  let second: Date
  try {
    const turns = occurrences(plan.schedule, now)
    first = turns.next().toDate()
    second = turns.next().toDate()
  } catch (cause) {
    throw invalid(
      'bad_schedule',
      'schedule: must be a cron expression, such as "0 30 4 * * 1" with seconds first',
      { cause },
    )
  }
  if (REPEATED.has(plan.launchType) && second.getTime() - first.getTime() < MIN_MS)
    throw invalid('bad_schedule', 'schedule: a command can be repeated once a minute at most')
}

/** When the command is to run next; null: not by itself. */
export function nextRun(plan: Schedule, after: Date): Date | null {
  if (!isPlanned(plan)) return null
  const { launchType, schedule, scheduleYear } = plan
  const year = launchType === ONCE ? scheduleYear : null
  // One millisecond before the year, so that its first moment counts.
  const from =
    year === null || after.getUTCFullYear() >= year ? after : new Date(Date.UTC(year, 0, 1) - 1)
  const next = occurrences(schedule, from).next().toDate()
  return year !== null && next.getUTCFullYear() !== year ? null : next
}

/** After a run: a command that runs once has no next time. */
export const runAfter = (plan: Schedule, now: Date): Date | null =>
  plan.launchType === ONCE ? null : nextRun(plan, now)
