import type { Connection } from '../platform/db/index.ts'
import { listen } from '../platform/db/listen.ts'
import { AppError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { randomToken } from '../platform/secrets.ts'
import { nextDue } from './account-store.ts'
import type { ProvisioningContext } from './context.ts'
import { reportLate } from './late.ts'
import { Run } from './run.ts'
import {
  type Lease,
  listRuns,
  type RunRow,
  readRun,
  releaseLease,
  renewLease,
  takeLease,
} from './run-store.ts'
import { CHANNEL } from './touch.ts'

/**
 * Renewed while a run goes on; short, so that another worker can soon take over from a dead one. Not at once, as by a
 * lock that ends with its connection: a creation that the dead one had sent may still be under way at the provider. A
 * look-up would not find it yet, and not every provider refuses a second account with the same name.
 */
const LEASE_MS = 15_000
const RENEW_MS = 5_000
/** For connections whose notification was missed. */
const POLL_MS = 30_000
/** After an internal error; delays for providers are in the database. */
const ERROR_PAUSE_MS = 30_000
const GRACE_MS = 5_000
const MAX_TIMER_MS = 86_400_000

const isOutage = (error: unknown): boolean =>
  error instanceof AppError && error.reason === 'database_unavailable'

/**
 * Runs connections that have something to do: woken by the commit of a change, by a timer for the next attempt, and by a
 * poll for what was missed. Any number of processes may run it: a lease in the database gives each connection to one.
 */
export class ProvisioningWorker {
  readonly #context: ProvisioningContext
  readonly #log: Logger
  readonly #stop = new AbortController()
  readonly #running = new Map<string, { tenant: string; work: Promise<void> }>()
  /** Woken while running, or while too many others were. */
  readonly #waiting = new Map<string, string>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #poll: NodeJS.Timeout | undefined
  #stopListening: (() => Promise<void>) | undefined

  constructor(context: ProvisioningContext, log: Logger) {
    this.#context = context
    this.#log = log
  }

  async work(connection: Connection): Promise<void> {
    const listener = {
      onConnect: () => this.#lookAround(),
      onNews: (payload: string) => {
        const [tenant, applicationId] = payload.split(' ')
        if (tenant && applicationId) this.#begin(tenant, applicationId)
      },
    }
    this.#poll = setInterval(() => void this.#lookAround(), POLL_MS)
    this.#stopListening = await listen(connection, CHANNEL, listener, this.#log)
  }

  /** For tests: runs everything that is due now. */
  async runDue(): Promise<void> {
    for (const { tenant, application_id } of await listRuns(this.#context.db)) {
      await reportLate(this.#context, tenant, application_id)
      await this.#run(tenant, application_id)
    }
  }

  /** Waits briefly for requests in flight; whatever remains is done by the next worker. */
  async stop(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#poll)
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await this.#stopListening?.()
    const work = Promise.all([...this.#running.values()].map(({ work }) => work))
    let timer: NodeJS.Timeout | undefined
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GRACE_MS)
    })
    await Promise.race([work, grace])
    clearTimeout(timer)
  }

  async #lookAround(): Promise<void> {
    try {
      for (const run of await listRuns(this.#context.db)) await this.#look(run)
    } catch (error) {
      if (!isOutage(error)) this.#log.error({ err: error }, 'cannot look for provisioning work')
    }
  }

  async #look(run: RunRow): Promise<void> {
    const { tenant, application_id, sweep_since, reconcile_at, paused_until } = run
    const { db } = this.#context
    await reportLate(this.#context, tenant, application_id)
    const due = await nextDue(db.tenant(tenant), tenant, application_id)
    const times = [
      ...(sweep_since === null ? [] : [0]),
      ...(reconcile_at === null ? [] : [Date.parse(reconcile_at)]),
      ...(due === null ? [] : [due]),
    ]
    if (times.length === 0) return
    const earliest = paused_until === null ? 0 : Date.parse(paused_until)
    this.#later(tenant, application_id, Math.max(Math.min(...times), earliest))
  }

  #begin(tenant: string, applicationId: string): void {
    if (this.#stop.signal.aborted) return
    const { limits } = this.#context
    const others = [...this.#running.values()].filter((running) => running.tenant === tenant)
    if (
      this.#running.has(applicationId) ||
      this.#running.size >= limits.process.provisioning ||
      // Providers that do not respond delay only their own tenant.
      others.length >= limits.tenant.provisioning
    ) {
      this.#waiting.set(applicationId, tenant)
      return
    }
    this.#waiting.delete(applicationId)
    const work = this.#run(tenant, applicationId)
      .catch((error) => {
        if (!isOutage(error))
          this.#log.error({ err: error, application: applicationId }, 'provisioning failed')
        this.#later(tenant, applicationId, Date.now() + ERROR_PAUSE_MS)
      })
      .finally(() => {
        this.#running.delete(applicationId)
        for (const [id, other] of [...this.#waiting]) this.#begin(other, id)
      })
    this.#running.set(applicationId, { tenant, work })
  }

  #later(tenant: string, applicationId: string, time: number): void {
    if (this.#stop.signal.aborted) return
    clearTimeout(this.#timers.get(applicationId))
    const wait = Math.min(Math.max(0, time - Date.now()), MAX_TIMER_MS)
    const timer = setTimeout(() => {
      this.#timers.delete(applicationId)
      this.#begin(tenant, applicationId)
    }, wait)
    timer.unref()
    this.#timers.set(applicationId, timer)
  }

  async #run(tenant: string, applicationId: string): Promise<void> {
    const { db, now = Date.now } = this.#context
    const lease: Lease = { tenant, applicationId, token: randomToken(12) }
    if (!(await takeLease(db, applicationId, lease.token, now(), now() + LEASE_MS))) {
      const run = await readRun(db, applicationId)
      // Its holder looks for more work before it ends. If it dies instead, this process takes over.
      if (run?.active && run.lease_until !== null)
        this.#later(tenant, applicationId, Date.parse(run.lease_until) + 100)
      return
    }
    const ended = new AbortController()
    const signal = AbortSignal.any([this.#stop.signal, ended.signal])
    const renew = async () => {
      const held = await renewLease(db, lease, now() + LEASE_MS).catch(() => true)
      if (!held) ended.abort()
    }
    const timer = setInterval(() => void renew(), RENEW_MS)
    try {
      const next = await new Run(this.#context, lease, this.#log, signal).toEnd()
      if (next !== null) this.#later(tenant, applicationId, next)
    } catch (error) {
      await releaseLease(db, lease).catch(() => {})
      throw error
    } finally {
      clearInterval(timer)
    }
  }
}
