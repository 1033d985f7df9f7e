import { checkRightsLeft, presentRights } from '../admins/index.ts'
import type { Batch } from '../platform/batches/store.ts'
import type { Caller, KeptRights } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { Mapping } from '../platform/mapping/index.ts'
import { checkScope } from '../platform/rights.ts'
import type { StoredActor } from '../users/index.ts'
import { mapsGroups } from './incoming.ts'
import { IMPORT, notesOf } from './job.ts'
import type { Settings } from './settings.ts'

// An import writes users, and the members of groups, whatever application it belongs to. So all that leads to one takes
// the right to do so by hand, and a job runs with what is left of the rights of the one who let it go.

export const USERS = ['users']
/** For what a job shows of people. */
export const READ_USERS = ['users', 'users.readonly']
const GROUPS = ['groups']

/** The routes take `users`; whether `groups` is needed is known with the mapping. */
export function checkGroups({ initiator, scopes }: Caller, mapping: Mapping): void {
  // The demo; a system that signs its requests reaches no import.
  if (initiator.type === 'system') return
  if (mapsGroups(mapping)) checkScope({ scopes }, GROUPS, 'a mapping with groups')
}

/** For a row; absent scopes are those of the service itself. */
export function checkMayJoin({ scopes }: { scopes?: ReadonlySet<string> | undefined }): void {
  if (scopes) checkScope({ scopes }, GROUPS, 'a membership in a group')
}

/** Null: the job is of the service itself, or was started before rights were kept. */
const keptFor = (batch: Batch): KeptRights | null =>
  notesOf(batch).rights ?? (batch.started_by as StoredActor).rights ?? null

/** What is left of the rights that the job runs with; throws when they no longer suffice. */
export async function rightsLeft(
  db: Db,
  batch: Batch,
  { mapping }: Settings,
): Promise<ReadonlySet<string> | undefined> {
  const kept = keptFor(batch)
  if (!kept) return undefined
  const present = await presentRights(db, batch.organization_id, kept)
  // The rows of an undo check by themselves whether they leave groups.
  const joins = batch.kind === IMPORT && mapsGroups(mapping)
  checkRightsLeft(present, [USERS, ...(joins ? [GROUPS] : [])], 'the job')
  return present
}
