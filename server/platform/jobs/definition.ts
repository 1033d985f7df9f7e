import type { Static, TSchema } from 'typebox'
import type { Tx } from '../db/index.ts'

interface Retry {
  /** Retries after the first attempt. */
  limit: number
  /** The first delay; it roughly doubles with each retry. */
  backoffSeconds: number
}

/** Upper bound of any delay between retries. */
export const MAX_PAUSE_SECONDS = 900

/** Practically unlimited, without overflowing a counter. */
export const FOREVER = 1_000_000_000

/** Recurring or self-healing work: retried indefinitely, and one run after an outage catches up. */
export const UPKEEP: Retry = { limit: FOREVER, backoffSeconds: 15 }

/** Work requested by a user: survives a day without mail server or database, then fails visibly. */
export const FOR_A_DAY: Retry = { limit: 100, backoffSeconds: 15 }

/** A job's name, payload schema (ids, never snapshots) and retry policy. */
export interface JobDefinition<S extends TSchema = TSchema> {
  /** `slice.verb-noun` */
  name: string
  payload: S
  retry: Retry
  /** Standard cron expression in UTC, for recurring work; the payload is then {}. */
  cron?: string
  /** At most one job waits per key; further ones are dropped in favour of it. */
  singleton?: true
  /** Calls a service of the organization: its failure is the organization's concern, and /readyz does not warn of it. */
  partner?: true
}

/** May run late, twice or concurrently: it re-reads the rows it acts on. */
type JobHandler<S extends TSchema = TSchema> = (payload: Static<S>) => Promise<void>

export interface Job<S extends TSchema = TSchema> {
  definition: JobDefinition<S>
  run: JobHandler<S>
}

export const defineJob = <S extends TSchema>(definition: JobDefinition<S>): JobDefinition<S> =>
  definition

export const handle = <S extends TSchema>(definition: JobDefinition<S>, run: JobHandler<S>): Job =>
  // The queue validates each payload before it calls the handler.
  ({ definition, run }) as unknown as Job

/** Sends in the caller's transaction: the job exists if and only if the change commits. */
export type SendJob = <S extends TSchema>(
  tx: Tx,
  definition: JobDefinition<S>,
  payload: Static<S>,
  options?: { startAfter?: Date; key?: string },
) => Promise<void>
