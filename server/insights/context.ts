import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { PastEvent } from './store.ts'

export interface InsightsContext {
  db: Db
  /**
   * Events of other sources, before they are stored: readers who follow the event time may have passed their places.
   * Some may be there already.
   */
  arriving: Hook<{ organizationId: string }, readonly Pick<PastEvent, 'timestamp' | 'id'>[]>
}
