import type { Outbound } from '../../platform/outbound/client.ts'
import type { ScimQuirks } from '../../scim/index.ts'

/** A problem is a row that could not be read; the others are read nevertheless. */
export type SourceRecord =
  | { record: Record<string, unknown> }
  | { problem: string; excerpt?: string }

export interface ReadOptions {
  /** For REST a URL query, whose parameters replace those of the settings; for SCIM a filter, in addition to theirs. */
  query?: string | undefined
  /** Ends the reading with its reason. */
  signal?: AbortSignal | undefined
  /** A request failed and will be repeated. */
  onRetry?: ((why: string) => void) | undefined
}

export interface Source {
  /**
   * At most MAX_BATCH records at once, as fast as they are taken. Ends normally only when everything was read; every other
   * end is a `SourceFailure`, or the reason of the signal.
   */
  read(options?: ReadOptions): AsyncGenerator<SourceRecord[]>
}

export const MAX_BATCH = 1000

/** Waits before a request is repeated. */
export type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export interface ReadLimits {
  /** Until the source begins to answer. */
  headersMs: number
  /** Between two parts of an answer. */
  idleMs: number
  maxPages: number
}

export interface SourceDependencies {
  outbound: Outbound
  /** Requests with the same key share the limits of the source. */
  throttleKey: string
  now?: () => number
  /** The uploaded file, for kind `file`. */
  readFile?: () => AsyncIterable<Uint8Array>
  /** Of a SCIM source: as saved by `onQuirk`. */
  quirks?: ScimQuirks
  onQuirk?: (quirks: ScimQuirks) => void
  /** For tests. */
  wait?: Wait
  /** For tests. */
  limits?: Partial<ReadLimits>
}
