import { newId } from '../platform/ids.ts'
import type { Planned, RowInput } from './job.ts'
import type { Action } from './schema.ts'

/** What a row has without a record. */
export const EMPTY = { write: {}, state: null, manager: null, groups: [] }

export const parked = (reason: string, message: string): Planned => ({
  action: 'park',
  userId: null,
  changes: [],
  reason,
  message,
})

/** Verbs for the messages of rows, by action. */
const WOULD: Record<Action, string> = {
  create: 'would be created',
  update: 'would be updated',
  suspend: 'would be suspended',
  reactivate: 'would be reactivated',
  none: 'unchanged',
  skip: 'skipped',
  park: 'parked',
}

export const messageOf = ({ action, message }: Planned): string =>
  message === undefined ? WOULD[action] : `${WOULD[action]}: ${message}`

const IDLE: readonly Action[] = ['none', 'skip', 'park']

/** Rows without work are finished at once, and all of them in a dry run. */
export function rowOf(input: RowInput, dryRun: boolean) {
  const { plan, externalId } = input
  const idle = dryRun || (IDLE.includes(plan.action) && !plan.links)
  return {
    id: newId(),
    input,
    ...(externalId !== null && { key: externalId }),
    ...(idle && {
      finished: {
        success: plan.action !== 'park',
        message: messageOf(plan),
        result: { ...plan, externalId },
      },
    }),
  }
}
