import { timeFormat } from '../../ui/time.ts'

// Schedules of the API are cron expressions in UTC with the seconds first. Common ones are shown as fields.

type Every = 'hour' | 'day' | 'week' | 'month' | 'custom'

export interface Repeat {
  every: Every
  /** As `HH:MM`; of an hour only the minutes count. */
  at: string
  /** 0 is Sunday. */
  weekday: string
  day: string
  cron: string
}

const two = (text: string) => text.padStart(2, '0')

export function repeatOf(schedule: string): Repeat {
  const fields = schedule.trim().split(/\s+/)
  const [minute = '0', hour = '4', day = '*', month = '*', weekday = '*'] = fields.slice(-5)
  const cron = schedule
  const plain = (field: string) => /^\d+$/.test(field)
  const repeat = {
    at: `${two(plain(hour) ? hour : '4')}:${two(plain(minute) ? minute : '0')}`,
    weekday: plain(weekday) ? weekday : '1',
    day: plain(day) ? day : '1',
    cron,
  }
  if (schedule.trim() === '') return { ...repeat, every: 'day' }
  const zero = fields.length === 5 || fields[0] === '0'
  const every = (): Every => {
    if (!zero || !plain(minute) || month !== '*') return 'custom'
    if (hour === '*') return day === '*' && weekday === '*' ? 'hour' : 'custom'
    if (!plain(hour)) return 'custom'
    if (day === '*') return weekday === '*' ? 'day' : plain(weekday) ? 'week' : 'custom'
    return plain(day) && weekday === '*' ? 'month' : 'custom'
  }
  return { ...repeat, every: every() }
}

export function cronOf({ every, at, weekday, day, cron }: Repeat): string {
  const [hour, minute] = at.split(':').map(Number)
  switch (every) {
    case 'hour':
      return `0 ${minute} * * * *`
    case 'day':
      return `0 ${minute} ${hour} * * *`
    case 'week':
      return `0 ${minute} ${hour} * * ${weekday}`
    case 'month':
      return `0 ${minute} ${hour} ${day} * *`
    case 'custom':
      return cron
  }
}

export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
]

/** A single moment as cron and year. */
export function onceOf(moment: Date): { schedule: string; scheduleYear: number } {
  const fields = [
    moment.getUTCMinutes(),
    moment.getUTCHours(),
    moment.getUTCDate(),
    moment.getUTCMonth() + 1,
  ]
  return { schedule: `0 ${fields.join(' ')} *`, scheduleYear: moment.getUTCFullYear() }
}

/** The moment of a command that runs once, if its schedule is one. */
export function momentOf(schedule: string, year: number | undefined): Date | null {
  const fields = schedule.trim().split(/\s+/).slice(-5).map(Number)
  const [minute, hour, day, month] = fields
  if (year === undefined || [minute, hour, day, month].some((each) => !Number.isInteger(each)))
    return null
  return new Date(Date.UTC(year, month! - 1, day, hour, minute))
}

interface Launched {
  launchType?: string
  schedule?: string
  scheduleYear?: number
  trigger?: string
}

const exact = timeFormat({ dateStyle: 'medium', timeStyle: 'short' })

/** When a command runs, in words. */
export function whenOf({ launchType, schedule = '', scheduleYear, trigger }: Launched): string {
  if (launchType === 'trigger') return `By trigger ${trigger}`
  if (launchType === 'one-time') {
    const moment = momentOf(schedule, scheduleYear)
    return moment ? `Once, ${exact.format(moment)}` : 'Once'
  }
  if (launchType !== 'repeated' && launchType !== 'scheduled') return 'By hand'
  const { every, at, weekday, day } = repeatOf(schedule)
  switch (every) {
    case 'hour':
      return `Every hour at :${at.slice(3)}`
    case 'day':
      return `Every day at ${at} UTC`
    case 'week':
      return `${WEEKDAYS[Number(weekday) % 7]}s at ${at} UTC`
    case 'month':
      return `On day ${day} at ${at} UTC`
    case 'custom':
      return schedule
  }
}
