import type { Queryable } from './db.ts'
import { throttled } from './errors.ts'
import { sql } from './sql.ts'

// Failed attempts, counted per subject: who or where they are about, such as `account <e-mail>` or `address <ip>`.
// Global: an attempt is counted before it is known whose it is.

export interface FailureRow {
  failures: number
  blocked_until: string | null
}

/** How many seconds the subjects are still blocked; 0 when they are not. */
async function blockedSeconds(db: Queryable, subjects: string[]): Promise<number> {
  const row = await db.one<{ seconds: number }>(sql`
    select coalesce(max(extract(epoch from blocked_until - now())), 0)::float8 as seconds
      from sign_in_failures where subject = any(${subjects}::text[])`)
  return Math.max(0, row?.seconds ?? 0)
}

/** How many failures within the window block a subject, and for how long. */
export interface Limit {
  failures: number
  windowMinutes: number
  blockMinutes: number
}

/** Counts one more failure inside the window and blocks at the limit, in one statement: no two processes miscount. */
export const countFailure = (db: Queryable, subject: string, limit: Limit) =>
  db.one<FailureRow>(sql`
    with setting as (
      select now() - make_interval(mins => ${limit.windowMinutes}::int) as opened,
             now() + make_interval(mins => ${limit.blockMinutes}::int) as blocked_until
    )
    insert into sign_in_failures as f (subject, failures, first_at, blocked_until)
    select ${subject}, 1, now(), case when ${limit.failures}::int <= 1 then setting.blocked_until end
      from setting
    on conflict (subject) do update set
      failures = case when f.first_at < (select opened from setting) then 1 else f.failures + 1 end,
      first_at = case when f.first_at < (select opened from setting) then now() else f.first_at end,
      blocked_until = case
        when (case when f.first_at < (select opened from setting) then 1 else f.failures + 1 end) >= ${limit.failures}::int
        then (select blocked_until from setting) end
    returning failures, blocked_until`)

export const clearFailures = (db: Queryable, subjects: string[]) =>
  db.run(sql`delete from sign_in_failures where subject = any(${subjects}::text[])`)

/** Refuses whoever is blocked. */
export async function refuseBlocked(db: Queryable, subjects: string[]): Promise<void> {
  const seconds = await blockedSeconds(db, subjects)
  if (seconds > 0) {
    throw throttled(
      'sign_in_blocked',
      `Too many failed attempts; try again in ${Math.ceil(seconds / 60)} minutes`,
      { retryAfter: seconds },
    )
  }
}
