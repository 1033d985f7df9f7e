import { statfs } from 'node:fs/promises'
import { AppError, messageOf } from './errors.ts'
import type { Logger } from './log.ts'

/** Below this the next write may fail: PostgreSQL allocates its WAL in segments of 16 MiB. */
const MIN_FREE_BYTES = 64 * 1024 * 1024
/** How long a failed write counts as "full" when the free space is unknown. */
const FULL_MS = 30_000
const WATCH_MS = 15_000

const inMiB = (bytes: number): string => `${Math.floor(bytes / (1024 * 1024))} MiB`

/** The disk of the database: its free space, if it is local, and whether writes fail for lack of space. */
export class Storage {
  /** Null for a remote database server. */
  readonly #directory: string | null
  readonly #warnBelow: number
  readonly #log: Pick<Logger, 'info' | 'warn' | 'error'>
  #failedAt: number | null = null
  #low = false
  #watch: NodeJS.Timeout | undefined

  constructor(directory: string | null, warnBelow: number, log: Logger) {
    this.#directory = directory
    this.#warnBelow = warnBelow
    this.#log = log
  }

  async freeBytes(): Promise<number | null> {
    if (this.#directory === null) return null
    const { bavail, bsize } = await statfs(this.#directory)
    return bavail * bsize
  }

  /** Records that a write failed for lack of space. */
  noteFull = (): void => {
    if (this.#failedAt === null) this.#log.error({}, 'the database disk is full')
    this.#failedAt = Date.now()
  }

  /** Whether writes fail. Recovers by itself: when space is seen, or some time after the last failure. */
  async isFull(): Promise<boolean> {
    if (this.#failedAt === null) return false
    const free = await this.freeBytes()
    const over = free === null ? Date.now() - this.#failedAt > FULL_MS : free >= MIN_FREE_BYTES
    if (over) {
      this.#failedAt = null
      this.#log.info({}, 'the database has space again')
    }
    return !over
  }

  /** Like isFull, but also before a write has failed and when PostgreSQL itself has stopped. */
  async isExhausted(): Promise<boolean> {
    const free = await this.freeBytes()
    return free !== null && free < MIN_FREE_BYTES
  }

  async warning(): Promise<string | null> {
    const free = await this.freeBytes()
    if (free === null || free >= this.#warnBelow) return null
    return `the data directory has ${inMiB(free)} left, less than ${inMiB(this.#warnBelow)}`
  }

  /** Logs when space runs low and when it recovers. */
  watch(): void {
    const look = async () => {
      const warning = await this.warning()
      if (warning !== null && !this.#low) this.#log.warn({}, warning)
      if (warning === null && this.#low) this.#log.info({}, 'the data directory has space again')
      this.#low = warning !== null
      await this.isFull()
    }
    const lookOrTell = () =>
      void look().catch((error) => this.#log.warn({ reason: messageOf(error) }, 'free space'))
    lookOrTell()
    this.#watch = setInterval(lookOrTell, WATCH_MS).unref()
  }

  stop(): void {
    clearInterval(this.#watch)
  }
}

const isStorageFull = (error: unknown): boolean =>
  error instanceof AppError && error.reason === 'storage_full'

/** For optional writes, such as "last seen": a full disk must not fail the read that caused them. */
export const ifThereIsRoom = async (noted: Promise<unknown>): Promise<void> => {
  await noted.catch((error) => {
    if (!isStorageFull(error)) throw error
  })
}
