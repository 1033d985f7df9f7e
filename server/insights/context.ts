import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { Limits } from '../platform/limits.ts'
import type { PastEvent } from './store.ts'

export interface InsightsContext {
  db: Db
  limits: Limits
  /** Events of other sources that were stored: readers that follow event time may already be past them. */
  arrived: Hook<{ organizationId: string }, readonly Pick<PastEvent, 'timestamp' | 'id'>[]>
}
