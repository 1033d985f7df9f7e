import type { Db } from '../platform/db/index.ts'
import type { Limits } from '../platform/limits.ts'
import type { Outbound } from '../platform/outbound/client.ts'
import type { Sealer } from '../platform/secrets.ts'

export interface ForwardingContext {
  db: Db
  /** For reads that may scan many events. */
  searchDb: Db
  sealer: Sealer
  limits: Limits
  outbound: Outbound
  /** For tests: a custom clock. */
  now?: () => number
}

export const secretContext = (id: string): string => `forwarder ${id}`
