import type { Static, TSchema } from 'typebox'
import type { Tx } from '../db.ts'

/** A job's name, the shape of what it carries (ids, never snapshots) and how it is retried. */
export interface JobDefinition<S extends TSchema = TSchema> {
  /** `slice.verb-noun` */
  name: string
  payload: S
  retry: { limit: number; backoffSeconds: number }
  /** Standard cron expression in UTC, for work that comes round by itself; its payload is then {}. */
  cron?: string
  /** Of those sent with one key, one waits at a time: what is sent meanwhile is left to it. */
  oneWaiting?: true
}

/** May run late, twice or beside another run of itself: it re-reads the rows it acts on. */
export type JobHandler<S extends TSchema = TSchema> = (payload: Static<S>) => Promise<void>

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
