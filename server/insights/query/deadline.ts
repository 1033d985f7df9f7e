import type { Queryable, Snapshot, TenantDb } from '../../platform/db/index.ts'
import { AppError, invalid, unavailable } from '../../platform/errors.ts'
import { Pace } from '../../platform/pace.ts'
import { within } from '../../platform/within.ts'

const RETRY_AFTER_SECONDS = 5

const outOfTime = (seconds: number, cause?: unknown) =>
  unavailable(
    'search_timeout',
    `The search took too long and was aborted after ${seconds} s. Choose a shorter time range, fewer services or fewer search terms`,
    { retryAfter: RETRY_AFTER_SECONDS, cause },
  )

/** The time limit of a request across all its search statements. */
export class Deadline {
  readonly #seconds: number
  readonly #end: number

  constructor(seconds: number, now = performance.now()) {
    this.#seconds = seconds
    this.#end = now + seconds * 1000
  }

  /**
   * Runs a statement if time is left, and stops waiting at the deadline. The statement timeout ends the work in the
   * database.
   */
  async keep<T>(work: () => Promise<T>): Promise<T> {
    const left = this.#end - performance.now()
    if (left <= 0) throw outOfTime(this.#seconds)
    try {
      return await within(work(), left, () => outOfTime(this.#seconds))
    } catch (error) {
      const stopped = error instanceof AppError && error.reason === 'statement_timeout'
      throw stopped ? outOfTime(this.#seconds, error) : error
    }
  }

  /** The same database with the deadline applied to every statement. */
  over(db: TenantDb): TenantDb {
    const one: Queryable = {
      get listing() {
        return one
      },
      many: (query) => this.keep(() => db.many(query)),
      one: (query) => this.keep(() => db.one(query)),
      find: (query) => this.keep(() => db.find(query)),
      run: (query) => this.keep(() => db.run(query)),
    }
    const reads = (from: Snapshot): Snapshot => ({
      recording: from.recording,
      many: (query) => this.keep(() => from.many(query)),
      copyOut: (query, sink) => this.keep(() => from.copyOut(query, sink)),
    })
    const snapshot: TenantDb['snapshot'] = (work) =>
      this.keep(() => db.snapshot((inner) => work(reads(inner))))
    return { ...one, ...reads(db), snapshot }
  }

  /** For work between statements; stops it at the deadline, or when the signal says so. */
  pace(signal?: AbortSignal): Pace {
    return new Pace(() => {
      if (signal?.aborted) throw invalid('client_gone', 'The client has closed the connection')
      if (performance.now() >= this.#end) throw outOfTime(this.#seconds)
    })
  }
}
