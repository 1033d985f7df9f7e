import { occurrences } from '../platform/cron.ts'
import { invalid } from '../platform/errors.ts'

/** The shortest interval between runs; below it a command would overlap its next run. */
const MIN_MS = 60_000

export interface Schedule {
  launchType: string
  /** A cron expression in UTC with a leading seconds field, `immediate`, or empty. */
  schedule: string
  scheduleYear: number | null
}

const REPEATED = new Set(['repeated', 'scheduled'])
const ONCE = 'one-time'

const isPlanned = ({ launchType, schedule }: Schedule): boolean =>
  (REPEATED.has(launchType) || launchType === ONCE) && !['', 'immediate'].includes(schedule.trim())

function timesOf(schedule: string, after: Date) {
  if (![5, 6].includes(schedule.trim().split(/\s+/).length))
    throw new Error('expected five or six fields')
  return occurrences(schedule, after)
}

/** Refuses schedules that never fire or fire too often. */
export function checkSchedule(plan: Schedule, now: Date): void {
  if (plan.launchType !== '' && REPEATED.has(plan.launchType) && plan.schedule.trim() === '')
    throw invalid('schedule_missing', 'schedule: is required for a repeated command')
  if (!isPlanned(plan)) return
  let first: Date
  let second: Date
  try {
    const turns = timesOf(plan.schedule, now)
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
    throw invalid('bad_schedule', 'schedule: a command can run at most once a minute')
}

/** The next scheduled run; null when there is none. */
export function nextRun(plan: Schedule, after: Date): Date | null {
  if (!isPlanned(plan)) return null
  const { launchType, schedule, scheduleYear } = plan
  const year = launchType === ONCE ? scheduleYear : null
  // Start one millisecond before the year, so that its first instant counts.
  const from =
    year === null || after.getUTCFullYear() >= year ? after : new Date(Date.UTC(year, 0, 1) - 1)
  const next = timesOf(schedule, from).next().toDate()
  return year !== null && next.getUTCFullYear() !== year ? null : next
}

/** The next run after one at `now`; a one-time command has none. */
export const runAfter = (plan: Schedule, now: Date): Date | null =>
  plan.launchType === ONCE ? null : nextRun(plan, now)
