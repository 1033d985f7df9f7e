import type { Queryable } from './db/index.ts'
import { sql } from './db/sql.ts'
import { throttled } from './errors.ts'
import { busy } from './keyed-mutex.ts'

// Counts failed attempts per subject, such as `account <e-mail>` or `address <ip>`. Not per tenant: an attempt is
// counted before its account is known.

interface FailureRow {
  failures: number
  blocked_until: string | null
}

/** Seconds until none of the subjects is blocked; 0 when none is. */
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

/** After this long an attempt in flight is assumed lost with its process. */
const LAPSED_SECONDS = 60

/**
 * Counts one failure inside the window and blocks at the limit, in one atomic statement. An active block is not
 * extended by further failures. `judged` is 1 when the failure was an attempt in flight.
 */
export const countFailure = (db: Queryable, subject: string, limit: Limit, judged: 0 | 1 = 0) =>
  db.one<FailureRow>(sql`
    with setting as (
      select now() - make_interval(mins => ${limit.windowMinutes}::int) as opened,
             now() + make_interval(mins => ${limit.blockMinutes}::int) as blocked_until
    )
    insert into sign_in_failures as f (subject, failures, first_at, blocked_until)
    select ${subject}, 1, now(), case when ${limit.failures}::int <= 1 then setting.blocked_until end
      from setting
    on conflict (subject) do update set (failures, first_at, blocked_until, in_flight) = (
      select counted.failures, counted.first_at,
             case when f.blocked_until > now() then f.blocked_until
                  when counted.failures >= ${limit.failures}::int then setting.blocked_until end,
             greatest(f.in_flight - ${judged}::int, 0)
        from setting, lateral (
          select case when over.over then 1 else f.failures + 1 end as failures,
                 case when over.over then now() else f.first_at end as first_at
            from (select f.failures = 0 or (f.first_at < setting.opened and coalesce(f.blocked_until <= now(), true))
                         as over) as over
        ) as counted
    )
    returning failures, blocked_until`)

/** Resets the counts and lifts the blocks. */
export async function clearFailures(db: Queryable, subjects: string[]): Promise<void> {
  await db.run(
    sql`update sign_in_failures set failures = 0, blocked_until = null where subject = any(${subjects}::text[])`,
  )
}

const blocked = (seconds: number) =>
  throttled(
    'sign_in_blocked',
    `Too many failed attempts; try again in ${Math.ceil(seconds / 60)} minutes`,
    { retryAfter: seconds },
  )

/** Throws 429 when one of the subjects is blocked. */
export async function refuseBlocked(db: Queryable, subjects: string[]): Promise<void> {
  const seconds = await blockedSeconds(db, subjects)
  if (seconds > 0) throw blocked(seconds)
}

/** Counts requests that cannot be right or wrong, such as reset mails; refuses above the limit. */
export async function takeCounted(db: Queryable, subject: string, limit: Limit): Promise<void> {
  await refuseBlocked(db, [subject])
  const counted = await countFailure(db, subject, limit)
  if (counted!.failures > limit.failures) throw blocked(limit.blockMinutes * 60)
}

/** What an attempt is counted against. */
export interface Counter {
  subject: string
  limit: Limit
  /** Shared with other users, so a success does not reset it. */
  shared?: true
  /** Caps the attempts in flight further, below the failures left. */
  room?: number
}

/**
 * Reserves one attempt, unless it and those in flight could exceed the limit if all failed: guessing in parallel gains
 * nothing over guessing in sequence. A refusal here is not a block; only failures block.
 */
export async function reserve(
  db: Queryable,
  { subject, limit, room }: Counter,
): Promise<'taken' | 'busy' | 'blocked'> {
  const taken = await db.one(sql`
    insert into sign_in_failures as f (subject, failures, first_at, in_flight, in_flight_at)
    values (${subject}, 0, now(), 1, now())
    on conflict (subject) do update set (in_flight, in_flight_at) = (
      select case when f.in_flight_at > now() - make_interval(secs => ${LAPSED_SECONDS}::int) then f.in_flight else 0 end + 1,
             now())
    where coalesce(f.blocked_until <= now(), true)
      and case when f.in_flight_at > now() - make_interval(secs => ${LAPSED_SECONDS}::int) then f.in_flight else 0 end
          < least(${room ?? null}::int, greatest(1, ${limit.failures}::int -
              case when f.first_at < now() - make_interval(mins => ${limit.windowMinutes}::int) then 0 else f.failures end))
    returning subject`)
  if (taken) return 'taken'
  return (await blockedSeconds(db, [subject])) > 0 ? 'blocked' : 'busy'
}

/** Reserves all of them, or none and throws 429. */
export async function reserveAll(db: Queryable, counters: readonly Counter[]): Promise<void> {
  for (const [at, counter] of counters.entries()) {
    const result = await reserve(db, counter)
    if (result === 'taken') continue
    await release(db, counters.slice(0, at))
    if (result === 'blocked') await refuseBlocked(db, [counter.subject])
    throw busy()
  }
}

/** The attempt was not wrong, or was never judged. One statement per counter, to avoid deadlocks. */
export async function release(db: Queryable, counters: readonly Counter[]): Promise<void> {
  for (const { subject } of counters)
    await db.run(
      sql`update sign_in_failures set in_flight = greatest(in_flight - 1, 0) where subject = ${subject}`,
    )
}

/** The attempt succeeded: resets the counters that are not shared. */
export async function forgive(db: Queryable, counters: readonly Counter[]): Promise<void> {
  for (const counter of counters) {
    await release(db, [counter])
    if (!counter.shared) await clearFailures(db, [counter.subject])
  }
}

/** The attempt was wrong. Returns whether this blocked a counter that is not shared. */
export async function countWrong(db: Queryable, counters: readonly Counter[]): Promise<boolean> {
  let last = false
  for (const { subject, limit, shared } of counters) {
    const counted = await countFailure(db, subject, limit, 1)
    if (!shared && counted!.blocked_until !== null) last = true
  }
  return last
}

export const deleteOldFailures = (db: Queryable) =>
  db.run(
    sql`delete from sign_in_failures where coalesce(blocked_until, first_at) < now() - interval '1 day'`,
  )
