import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'
import type { ReconcileMode } from './schema.ts'

// provisioning_runs: which worker has a connection, and work that concerns all of it. Global, so no tenant is set.

export interface Lease {
  tenant: string
  applicationId: string
  token: string
}

export interface RunRow {
  tenant: string
  application_id: string
  active: boolean
  sweep_since: string | null
  sweep_all: boolean
  paused_until: string | null
  failures: number
  reconcile_at: string | null
  reconcile_mode: ReconcileMode | null
  lease: string | null
  lease_until: string | null
}

const at = (now: number): string => new Date(now).toISOString()

export const readRun = (db: Queryable, applicationId: string) =>
  db.one<RunRow>(sql`select * from provisioning_runs where application_id = ${applicationId}`)

/** All active connections, for a worker that starts. */
export const listRuns = (db: Queryable) =>
  db.many<RunRow>(
    sql`select * from provisioning_runs where active and not is_deleted(tenant) order by tenant, application_id`,
  )

/** Takes the connection unless another worker has it. */
export const takeLease = async (
  db: Queryable,
  applicationId: string,
  token: string,
  now: number,
  until: number,
): Promise<boolean> =>
  (await db.run(sql`
    update provisioning_runs set lease = ${token}, lease_until = ${at(until)}
     where application_id = ${applicationId} and active and not is_deleted(tenant)
       and (lease is null or lease_until <= ${at(now)})`)) > 0

export const renewLease = async (
  db: Queryable,
  { applicationId, token }: Lease,
  until: number,
): Promise<boolean> =>
  (await db.run(sql`
    update provisioning_runs set lease_until = ${at(until)}
     where application_id = ${applicationId} and lease = ${token}`)) > 0

/** In the transaction that checks that no work is left: see `finish` in run.ts. */
export const lockRun = (tx: Queryable, { applicationId, token }: Lease) =>
  tx.one<RunRow>(sql`
    select * from provisioning_runs where application_id = ${applicationId} and lease = ${token} for update`)

export const releaseLease = (db: Queryable, { applicationId, token }: Lease) =>
  db.run(sql`
    update provisioning_runs set lease = null, lease_until = null
     where application_id = ${applicationId} and lease = ${token}`)

/** Asks for a comparison of all bindings. Each request changes the time, so that one during a comparison is not lost. */
export const requestSweep = (tx: Queryable, applicationIds: readonly string[], all: boolean) =>
  tx.run(sql`
    update provisioning_runs
       set sweep_since = coalesce(sweep_since + interval '1 millisecond', now()), sweep_all = sweep_all or ${all}
     where application_id = any(${applicationIds}::text[])`)

/** Only if no other sweep was requested meanwhile. */
export const sweepDone = (tx: Queryable, applicationId: string, since: string, all: boolean) =>
  tx.run(sql`
    update provisioning_runs set sweep_since = null, sweep_all = false
     where application_id = ${applicationId} and sweep_since = ${since} and sweep_all = ${all}`)

/** The provider asked for a pause, or does not answer. */
export const savePause = (
  db: Queryable,
  { applicationId, token }: Lease,
  until: number | null,
  failures: number,
) =>
  db.run(sql`
    update provisioning_runs set paused_until = ${until === null ? null : at(until)}, failures = ${failures}
     where application_id = ${applicationId} and lease = ${token}`)

/** With a mode: asked for by an administrator, once. Without: by the schedule. */
export const scheduleReconcile = (
  tx: Queryable,
  applicationId: string,
  time: number | null,
  mode: ReconcileMode | null = null,
) =>
  tx.run(sql`
    update provisioning_runs set reconcile_at = ${time === null ? null : at(time)}, reconcile_mode = ${mode}
     where application_id = ${applicationId}`)
