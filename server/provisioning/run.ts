import { isInactive } from '../applications/index.ts'
import { reachableIds } from '../graph/index.ts'
import { AppError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { backoff } from '../platform/outbound/retry.ts'
import { ScimFailure } from '../scim/index.ts'
import {
  type AccountRow,
  countNew,
  nextDue,
  readDueAccounts,
  sweepAccounts,
} from './account-store.ts'
import { alertAdministrators } from './alert.ts'
import { Batch } from './batch.ts'
import { lockConnection, saveStatus } from './connection-store.ts'
import type { ProvisioningContext } from './context.ts'
import { MIN_NEW, readDirectory } from './directory.ts'
import { readDueGroups, touchAllGroups, touchGroups } from './group-store.ts'
import { pushGroup } from './push-group.ts'
import type { Directory } from './push-user.ts'
import { reconcileDue } from './reconcile.ts'
import { boundGroups } from './related-store.ts'
import { holdRemovals, isSuspect } from './removals.ts'
import { checkRights } from './rights.ts'
import {
  type Lease,
  lockRun,
  type RunRow,
  readRun,
  releaseLease,
  savePause,
  sweepDone,
} from './run-store.ts'
import { openSession, type Session } from './session.ts'

/**
 * A batch has as many accounts as the provider takes in about this time, and ends after it: a removal that becomes due
 * meanwhile goes first in the next one.
 */
const BATCH_MS = 1000
const FIRST_BATCH = 200
const MAX_BATCH = 2000
/** Results that are saved together; those of a batch are saved at its end at the latest. */
const MAX_UNSAVED = 250
const GROUPS = 20
/** Failures in a row after which the provider is taken to be down, and left alone for a while. */
const MAX_FAILURES = 10

/** Why a batch ended early. */
type Stop = 'paused' | 'stopped' | 'lost'

/**
 * Brings one connection to where nothing is left to do now, while it holds the lease. `signal` ends it after the requests
 * in flight. Returns when the next step is due, null if none is.
 */
export class Run {
  readonly #context: ProvisioningContext
  readonly #lease: Lease
  readonly #log: Logger
  readonly #signal: AbortSignal
  #session!: Session
  /** Undefined: not read yet. */
  #directory: Directory | null | undefined
  #failures = 0
  #batchSize = FIRST_BATCH

  constructor(context: ProvisioningContext, lease: Lease, log: Logger, signal: AbortSignal) {
    this.#context = context
    this.#lease = lease
    this.#log = log
    this.#signal = signal
  }

  get #now(): number {
    return (this.#context.now ?? Date.now)()
  }

  async toEnd(): Promise<number | null> {
    const { tenant, applicationId } = this.#lease
    const { db } = this.#context
    while (!this.#signal.aborted) {
      const run = await readRun(db, applicationId)
      if (run?.lease !== this.#lease.token) return null
      const session = run.active ? await this.#open() : undefined
      if (!session || (await isInactive(db.tenant(tenant), tenant, applicationId))) break
      if (!(await this.#isAllowed(session))) break
      this.#session = session
      this.#failures = run.failures
      if (run.sweep_since !== null) await this.#sweep(run)
      if (session.settings.dryRun) {
        await reconcileDue(this.#context, session, run, this.#lease)
        break
      }
      const pausedUntil = run.paused_until === null ? 0 : Date.parse(run.paused_until)
      if (pausedUntil > this.#now) {
        await releaseLease(db, this.#lease)
        return pausedUntil
      }
      if (!(await this.#work(run))) {
        const end = await this.#finish()
        if (end !== 'more') return end
      }
    }
    await releaseLease(db, this.#lease)
    return null
  }

  /** False: the rights that the connection runs with are lost, and it is stopped. */
  async #isAllowed(session: Session): Promise<boolean> {
    try {
      await checkRights(this.#context.db, session.row)
      return true
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'unavailable') throw error
      await stopConnection(this.#context, session, error.message, error.reason)
      return false
    }
  }

  /** Settings may change between two batches; the provider keeps its tokens while they do not. */
  async #open(): Promise<Session | undefined> {
    const { tenant, applicationId } = this.#lease
    const fresh = await openSession(this.#context, tenant, applicationId)
    const known = this.#session as Session | undefined
    if (!fresh || !known || fresh.row.updated !== known.row.updated) {
      this.#directory = undefined
      return fresh
    }
    return { ...fresh, provider: known.provider, evaluator: known.evaluator }
  }

  /** Makes the rows follow the bindings. */
  async #sweep({ sweep_since, sweep_all }: RunRow): Promise<void> {
    const { db } = this.#context
    const { organizationId, applicationId, settings } = this.#session
    const application = { type: 'application', id: applicationId } as const
    await db.tx(organizationId, async (tx) => {
      const bound = await reachableIds(tx, organizationId, application, 'user')
      await sweepAccounts(tx, organizationId, applicationId, bound, sweep_since!, sweep_all)
      if (settings.groups.push) {
        const groups = await boundGroups(tx, organizationId, applicationId)
        await touchGroups(
          tx,
          organizationId,
          [applicationId],
          groups.map(({ id }) => id),
        )
        await touchAllGroups(tx, organizationId, applicationId)
      }
      await sweepDone(tx, applicationId, sweep_since!, sweep_all)
    })
  }

  /** One batch of whatever is due: accounts, then groups, then the scheduled comparison. False: nothing is. */
  async #work(run: RunRow): Promise<boolean> {
    const { organizationId, applicationId } = this.#session
    const tenant = this.#context.db.tenant(organizationId)
    const readDue = () =>
      readDueAccounts(tenant, organizationId, applicationId, this.#now, this.#batchSize)
    let due = await readDue()
    if (due.some(isSuspect) || this.#session.row.held_removals !== null) {
      await holdRemovals(this.#context, this.#session)
      due = await readDue()
    }
    if (due.length > 0) {
      await this.#pushAccounts(due)
      return true
    }
    const groups = await readDueGroups(tenant, organizationId, applicationId, this.#now, GROUPS)
    for (const row of groups) {
      if (this.#signal.aborted) break
      const failure = await pushGroup(this.#context, this.#session, this.#lease, row, this.#log)
      if (await this.#mind(failure)) break
    }
    if (groups.length > 0) return true
    return reconcileDue(this.#context, this.#session, run, this.#lease)
  }

  async #pushAccounts(due: AccountRow[]): Promise<Stop | null> {
    const { organizationId, applicationId, evaluator, settings, provider } = this.#session
    const tenant = this.#context.db.tenant(organizationId)
    const ids = due.map(({ user_id }) => user_id)
    const desired = await evaluator.desired(tenant, organizationId, applicationId, ids, this.#now)
    if (this.#directory === undefined) {
      const fresh = await countNew(tenant, organizationId, applicationId)
      if (fresh >= MIN_NEW)
        try {
          this.#directory = await readDirectory(provider, fresh)
        } catch (error) {
          if (!(error instanceof ScimFailure)) throw error
          const stop = await this.#mind(error)
          if (stop) return stop
        }
    }
    const batch = new Batch(this.#context, this.#session, this.#log)
    const finished: Awaited<ReturnType<Batch['step']>>[] = []
    let stop: Stop | null = null
    let saving: Promise<void> | null = null
    const save = async (least: number) => {
      while (finished.length >= least && stop !== 'lost') {
        const outcomes = finished.splice(0)
        if (!(await batch.save(this.#lease, outcomes))) stop = 'lost'
      }
    }
    const begun = await batch.begin(this.#lease, due, desired)
    if (!begun) return 'lost'
    const queue = begun.values()
    const began = this.#now
    const elapsed = () => this.#now - began
    let done = 0
    const worker = async () => {
      for (const row of queue) {
        const outcome = await batch.step(row, desired.get(row.user_id)!, this.#directory ?? null)
        finished.push(outcome)
        done++
        const verdict = await this.#mind(outcome.failure ?? null)
        stop ??= verdict
        if (finished.length >= MAX_UNSAVED)
          saving ??= save(MAX_UNSAVED).finally(() => {
            saving = null
          })
        if (stop || this.#signal.aborted || elapsed() > BATCH_MS) return
      }
    }
    const { concurrency } = settings.limits
    await Promise.all(Array.from({ length: concurrency }, worker))
    const perBatch = Math.ceil((done * BATCH_MS) / Math.max(elapsed(), 1))
    this.#batchSize = Math.min(Math.max(perBatch, concurrency), MAX_BATCH)
    await saving
    await save(1)
    return stop
  }

  /** What a failure means for the connection as a whole. */
  async #mind(failure: ScimFailure | null): Promise<Stop | null> {
    const { db } = this.#context
    if (failure === null || (failure.kind !== 'transient' && failure.kind !== 'misconfigured')) {
      if (this.#failures > 0) await savePause(db, this.#lease, null, 0)
      this.#failures = 0
      return null
    }
    if (failure.kind === 'misconfigured') {
      await stopConnection(this.#context, this.#session, failure.message)
      return 'stopped'
    }
    this.#failures++
    const asked = failure.retryAfterMs
    if (asked === 0 && this.#failures < MAX_FAILURES) return null
    const patience = this.#failures - MAX_FAILURES + 1
    const wait = Math.max(asked, patience > 0 ? backoff(patience) : 0)
    await savePause(db, this.#lease, this.#now + wait, this.#failures)
    return 'paused'
  }

  /**
   * Gives the lease back unless there is more to do. The row is locked, so a change that commits later finds it free, and
   * one that committed before is seen here.
   */
  async #finish(): Promise<number | null | 'more'> {
    const { organizationId, applicationId } = this.#session
    return this.#context.db.tx(organizationId, async (tx) => {
      const run = await lockRun(tx, this.#lease)
      if (!run) return null
      const next = await nextDue(tx, organizationId, applicationId)
      if (run.sweep_since !== null || (next !== null && next <= this.#now)) return 'more'
      await releaseLease(tx, this.#lease)
      const reconcileAt = run.reconcile_at === null ? null : Date.parse(run.reconcile_at)
      if (next === null || reconcileAt === null) return next ?? reconcileAt
      return Math.min(next, reconcileAt)
    })
  }
}

/** The provider refuses us altogether, or nobody answers for the connection any more: stop, say why, and tell the administrators once. */
function stopConnection(
  context: ProvisioningContext,
  session: Session,
  reason: string,
  code: string | null = null,
): Promise<void> {
  const { organizationId, applicationId, applicationName } = session
  const mail = {
    subject: `Provisioning of ${applicationName} has stopped`,
    lines: [
      `Accounts are no longer written to ${applicationName}:`,
      '',
      `  ${reason}`,
      '',
      'Correct the connection and activate it again. Nothing is lost: all changes made',
      'meanwhile are written then.',
    ],
  }
  const alert = { event_type: 'integration_deactivate', message: reason, mail } as const
  return alertAdministrators(context, session, alert, async (tx) => {
    const row = await lockConnection(tx, organizationId, applicationId)
    if (row?.status !== 'active') return false
    await saveStatus(tx, organizationId, applicationId, 'stopped', reason, code)
    return true
  })
}
