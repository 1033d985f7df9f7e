import { statfs } from 'node:fs/promises'
import { AppError, messageOf } from './errors.ts'
import type { Logger } from './log.ts'

/** With less than this the next write may fail: PostgreSQL takes its log by pieces of 16 MiB. */
const MIN_FREE_BYTES = 64 * 1024 * 1024
/** For how long a failed write counts where nobody can see the free space. */
const FULL_MS = 30_000
const WATCH_MS = 15_000

const inMiB = (bytes: number): string => `${Math.floor(bytes / (1024 * 1024))} MiB`

/** The disk under the database: how much is free, where we can see it, and whether writes fail for want of it. */
export class Storage {
  /** Null where the database is a server elsewhere. */
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

  /** A write failed for want of space. */
  noteFull = (): void => {
    if (this.#failedAt === null) this.#log.error({}, 'the disk of the database is full')
    this.#failedAt = Date.now()
  }

  /** Whether writes fail. Nobody has to say when that is over: space is seen, or the failure is some time ago. */
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

  /** Also when nothing has failed yet, or when PostgreSQL itself could not go on. */
  async isExhausted(): Promise<boolean> {
    const free = await this.freeBytes()
    return free !== null && free < MIN_FREE_BYTES
  }

  async warning(): Promise<string | null> {
    const free = await this.freeBytes()
    if (free === null || free >= this.#warnBelow) return null
    return `the data directory has ${inMiB(free)} left, less than ${inMiB(this.#warnBelow)}`
  }

  /** Writes a line to the log when space runs low and when it no longer does. */
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

/** What is noted by the way, such as when somebody was last seen: without room for it, reading goes on. */
export const ifThereIsRoom = async (noted: Promise<unknown>): Promise<void> => {
  await noted.catch((error) => {
    if (!isStorageFull(error)) throw error
  })
}
