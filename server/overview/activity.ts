import {
  countPerStep,
  Deadline,
  distinctValues,
  readSelection,
  readStep,
  type Selection,
} from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { EventLimits } from '../platform/limits.ts'
import type { Activity } from './schema.ts'

const DAY = 86_400_000
const MAX_SERVICES = 4
const MAX_REASONS = 6
const SIGN_INS = ['user_login_attempt', 'sso_auth', 'admin_login_attempt']

interface ActivityQuery {
  timezone?: string
  now: number
  max: EventLimits
  searchSeconds: number
}

/** What happened lately, as the console's home draws it: one answer instead of eight queries. */
export async function readActivity(
  db: Db,
  { organizationId }: Caller,
  { timezone, now, max, searchSeconds }: ActivityQuery,
): Promise<Activity> {
  const deadline = new Deadline(searchSeconds)
  const tenant = deadline.over(db.tenant([organizationId]))
  const pace = deadline.pace()
  const ids = [organizationId]
  const last = (days: number, service = 'all', and?: object[]): Selection =>
    readSelection(
      {
        service: [service],
        start_time: new Date(now - days * DAY).toISOString(),
        ...(and && { search_term: { and } }),
      },
      now,
      max,
    )
  const frequent = async (selection: Selection, field: string, most: number) =>
    (await distinctValues(tenant, ids, selection, field, pace)).buckets.slice(0, most)
  const perHours = async (hours: number, selection: Selection) => {
    const step = readStep({ interval_unit: 'h', interval_value: hours, timezone })
    const counts = await countPerStep(tenant, ids, selection, step, max.buckets, pace)
    return counts.map(({ start, doc_count }) => ({ key: start, doc_count }))
  }
  const signIns = (success: boolean) => last(7, 'all', [{ event_type: SIGN_INS }, { success }])

  const services = []
  for (const { key } of await frequent(last(1), 'service', MAX_SERVICES))
    services.push({ service: key, buckets: await perHours(1, last(1, key)) })
  const outcomes = []
  for (const success of [true, false])
    outcomes.push({ success, buckets: await perHours(6, signIns(success)) })
  const deniedReasons = await frequent(signIns(false), 'error_message', MAX_REASONS)
  return { services, signIns: outcomes, deniedReasons }
}
