import { RESTRICTED_FIELDS } from '../organizations/index.ts'
import type { BatchRow } from '../platform/batches/row-store.ts'
import type { Batch } from '../platform/batches/store.ts'
import type { KeptRights } from '../platform/caller.ts'
import { newId } from '../platform/ids.ts'
import type { StoredActor, UserActor, UserState } from '../users/index.ts'
import { actorAgain, VENDOR } from '../users/index.ts'
import type { FieldChange, Rules } from './decide.ts'
import { type ImportWrite, type Incoming, mappedFields } from './incoming.ts'
import type { SourceKey } from './link-store.ts'
import type { Action, Operation } from './schema.ts'
import { ENTRY, type Settings } from './settings.ts'

export const IMPORT = 'imports.import'
export const UNDO = 'imports.undo'

/** The options of a job. */
export interface JobInput {
  applicationId: string
  operations: Operation[]
  allowUserReactivation: boolean
  queryString: string
  state: UserState | null
  dryRun: boolean
}

/** What a job notes about itself on its way. */
interface JobNotes {
  /** The run that makes the plan. */
  planner?: string
  /** The plan is complete; from now on its rows are applied. */
  planned?: boolean
  /** Rows by action, when the plan was made. */
  counts?: Partial<Record<Action, number>>
  /** Why it waits for confirmation. */
  held?: string
  confirmed?: boolean
  /** Of the one who confirmed or retried it last, instead of those of the one who started it. */
  rights?: KeptRights | null
  /** Why it failed as a whole, for machines. */
  reason?: string | null
}

/** One row: the record as a user, and what the plan says about it. */
export type RowInput = {
  externalId: string | null
  write: ImportWrite
  state: UserState | null
  manager: string | null
  groups: string[]
  plan: Planned
  /** The record cannot be imported, however often it is tried. */
  unreadable?: true
}

export interface Planned {
  action: Action
  userId: string | null
  changes: FieldChange[]
  links?: true
  reason?: string
  message?: string
}

/** What was done for a row; the undo reads it. */
export interface RowResult extends Planned {
  externalId: string | null
  /** The record was not linked to this user before. */
  linked?: boolean
  /** Groups that the user joined. */
  joined?: string[]
  /** The manager who was not there yet. */
  managerRef?: string
  /** Of a new user: tells whether somebody changed them since. */
  fingerprint?: string
}

/** As it is stored. A user who was created as planned has the changes of the plan, which are not written twice. */
export type StoredResult = Omit<RowResult, 'changes'> & {
  changes?: FieldChange[]
  /** Of such a user, once known: the plan may name the manager as the source does. */
  manager?: string
}

/** The part of a job that decides; a preview has no more. */
export type JobLike = Pick<Batch, 'organization_id' | 'input'>

export const inputOf = (batch: JobLike): JobInput => batch.input as JobInput
export const notesOf = (batch: Batch): JobNotes => batch.notes as JobNotes
export const keyOf = (batch: JobLike): SourceKey => ({
  organizationId: batch.organization_id,
  applicationId: inputOf(batch).applicationId,
})

export const incomingOf = ({ plan: _, ...record }: RowInput): Incoming => record as Incoming

export function doneFor({ input, result }: Pick<BatchRow, 'input' | 'result'>): RowResult {
  const { plan } = input as Partial<RowInput>
  const { manager, ...done } = result as unknown as StoredResult
  const changes = done.changes ?? plan?.changes ?? []
  if (manager === undefined) return { ...done, changes }
  const named = changes.map((one) => (one.field === 'manager' ? { ...one, to: manager } : one))
  return { ...done, changes: named }
}

/** The one who started the job, with the scopes it may still use. Every event it causes carries the correlation. */
export const actorOf = (
  batch: Batch,
  source: string,
  name: string,
  scopes: ReadonlySet<string> | undefined,
): UserActor => {
  const started = actorAgain(batch.started_by as StoredActor, scopes)
  return {
    ...started,
    initiator: { ...started.initiator, source, source_metadata: { name } },
    organizationId: batch.organization_id,
    correlation: { id: batch.id, type: 'user_import' },
  }
}

export const sourceOf = ({ source }: Settings): string => `${VENDOR}:${ENTRY[source.kind].source}`

export function rulesOf(batch: JobLike, settings: Settings): Rules {
  const { operations, allowUserReactivation, state, applicationId } = inputOf(batch)
  const restrictable: readonly string[] = RESTRICTED_FIELDS
  return {
    create: operations.includes('users.create'),
    update: operations.includes('users.update'),
    reactivate: allowUserReactivation,
    state,
    owned: settings.protectFields
      ? mappedFields(settings.mapping).filter((field) => restrictable.includes(field))
      : [],
    owner: applicationId,
    now: new Date(),
    makeId: newId,
  }
}
