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

/**
 * Counts one more failure inside the window and blocks at the limit, in one statement: no two processes miscount. A block
 * that stands stays as it is, whatever is counted meanwhile.
 */
export const countFailure = (db: Queryable, subject: string, limit: Limit) =>
  db.one<FailureRow>(sql`
    with setting as (
      select now() - make_interval(mins => ${limit.windowMinutes}::int) as opened,
             now() + make_interval(mins => ${limit.blockMinutes}::int) as blocked_until
    )
    insert into sign_in_failures as f (subject, failures, first_at, blocked_until)
    select ${subject}, 1, now(), case when ${limit.failures}::int <= 1 then setting.blocked_until end
      from setting
    on conflict (subject) do update set (failures, first_at, blocked_until) = (
      select counted.failures, counted.first_at,
             case when f.blocked_until > now() then f.blocked_until
                  when counted.failures >= ${limit.failures}::int then setting.blocked_until end
        from setting, lateral (
          select case when over.over then 1 else f.failures + 1 end as failures,
                 case when over.over then now() else f.first_at end as first_at
            from (select f.first_at < setting.opened and coalesce(f.blocked_until <= now(), true) as over) as over
        ) as counted
    )
    returning failures, blocked_until`)

/** One failure that was none. */
export const uncountFailure = (db: Queryable, subject: string, limit: Limit) =>
  db.run(sql`
    update sign_in_failures
       set failures = greatest(failures - 1, 0),
           blocked_until = case when failures - 1 >= ${limit.failures}::int then blocked_until end
     where subject = ${subject}`)

export const clearFailures = (db: Queryable, subjects: string[]) =>
  db.run(sql`delete from sign_in_failures where subject = any(${subjects}::text[])`)

const blocked = (seconds: number) =>
  throttled(
    'sign_in_blocked',
    `Too many failed attempts; try again in ${Math.ceil(seconds / 60)} minutes`,
    { retryAfter: seconds },
  )

/** Refuses whoever is blocked. */
export async function refuseBlocked(db: Queryable, subjects: string[]): Promise<void> {
  const seconds = await blockedSeconds(db, subjects)
  if (seconds > 0) throw blocked(seconds)
}

/** Seconds until there is an attempt again, 0 when this one is taken; and how many have been counted. */
export interface Attempt {
  seconds: number
  failures: number
}

/**
 * Counted as a failure before it is judged, so that asking in parallel brings no more attempts than the limit has.
 * Whoever turns out to be right gives it back: `uncountFailure`, `clearFailures`.
 */
export async function tryAttempt(db: Queryable, subject: string, limit: Limit): Promise<Attempt> {
  const seconds = await blockedSeconds(db, [subject])
  if (seconds > 0) return { seconds, failures: limit.failures }
  const { failures } = (await countFailure(db, subject, limit))!
  return { seconds: failures > limit.failures ? limit.blockMinutes * 60 : 0, failures }
}

/** Takes an attempt, or refuses. Tells how many have been counted. */
export async function takeAttempt(db: Queryable, subject: string, limit: Limit): Promise<number> {
  const { seconds, failures } = await tryAttempt(db, subject, limit)
  if (seconds > 0) throw blocked(seconds)
  return failures
}
