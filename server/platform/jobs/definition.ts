import type { Static, TSchema } from 'typebox'
import type { Tx } from '../db/index.ts'

interface Retry {
  /** Attempts after the first one. */
  limit: number
  /** The first pause; each is about twice as long as the one before. */
  backoffSeconds: number
}

/** No pause is longer, of whatever job. */
export const MAX_PAUSE_SECONDS = 900

/** More than any job will ever need, and room to count on. */
export const FOREVER = 1_000_000_000

/** What comes round by itself or repairs a state: however long an outage lasts, the first run after it mends all. */
export const UPKEEP: Retry = { limit: FOREVER, backoffSeconds: 15 }

/** What somebody asked for: it outlives a day without a mail server or database, then it is given up and shown. */
export const FOR_A_DAY: Retry = { limit: 100, backoffSeconds: 15 }

/** A job's name, the shape of what it carries (ids, never snapshots) and how it is retried. */
export interface JobDefinition<S extends TSchema = TSchema> {
  /** `slice.verb-noun` */
  name: string
  payload: S
  retry: Retry
  /** Standard cron expression in UTC, for work that comes round by itself; its payload is then {}. */
  cron?: string
  /** Of those sent with one key, one waits at a time: what is sent meanwhile is left to it. */
  singleton?: true
}

/** May run late, twice or beside another run of itself: it re-reads the rows it acts on. */
type JobHandler<S extends TSchema = TSchema> = (payload: Static<S>) => Promise<void>

export interface Job<S extends TSchema = TSchema> {
  definition: JobDefinition<S>
  run: JobHandler<S>
}

export const defineJob = <S extends TSchema>(definition: JobDefinition<S>): JobDefinition<S> =>
  definition

export const handle = <S extends TSchema>(definition: JobDefinition<S>, run: JobHandler<S>): Job =>
  // The queue checks each payload against the definition before it calls the handler.
  ({ definition, run }) as unknown as Job

/** Sends in the caller's transaction: the job exists if and only if the change was committed. */
export type SendJob = <S extends TSchema>(
  tx: Tx,
  definition: JobDefinition<S>,
  payload: Static<S>,
  options?: { startAfter?: Date; key?: string },
) => Promise<void>
