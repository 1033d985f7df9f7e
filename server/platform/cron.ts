import { type CronExpression, CronExpressionParser } from 'cron-parser'

/** In a leap year. */
const daysOf = (month: number): number => new Date(Date.UTC(2000, month, 0)).getUTCDate()

/** The 31st of April: the parser would look through all days of 27 years for one. */
function isImpossible({ fields: { dayOfMonth, dayOfWeek, month } }: CronExpression): boolean {
  // Either of the two makes a day count; L is the last of any month.
  const days = dayOfMonth.values.filter((day) => typeof day === 'number')
  if (!dayOfWeek.isWildcard || days.length < dayOfMonth.values.length) return false
  const longest = Math.max(...month.values.map(daysOf))
  return days.every((day) => day > longest)
}

/** The times of a cron expression after `after`, in UTC. Throws if it is none, or has no time. */
export function occurrences(expression: string, after: Date): CronExpression {
  const times = CronExpressionParser.parse(expression, { currentDate: after, tz: 'UTC' })
  if (isImpossible(times)) throw new Error('none of its months has such a day')
  return times
}
