import { isDeepStrictEqual } from 'node:util'
import { changeEdge, groupsOf } from '../graph/index.ts'
import type { BatchRow } from '../platform/batches/row-store.ts'
import type { Finish } from '../platform/batches/run.ts'
import type { Batch } from '../platform/batches/store.ts'
import type { Tx } from '../platform/db/index.ts'
import { conflict } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import {
  applyWrite,
  changeLockedUser,
  lockForRemoval,
  lockUser,
  removeLockedUser,
  type UserActor,
  type UserRow,
  type UserState,
  userFields,
  userFingerprint,
} from '../users/index.ts'
import type { ImportContext } from './context.ts'
import type { FieldChange } from './decide.ts'
import { keyOf, type RowResult } from './job.ts'
import { deleteLink, type SourceKey } from './link-store.ts'
import { checkMayJoin } from './rights.ts'
import { reportsCameSince } from './undo-store.ts'

const changedLater = (field: string) =>
  conflict('changed_later', `${field}: was changed after the import`)

/** The body that takes the changes back. Refuses when somebody has changed one of the fields since. */
function inverseOf(row: UserRow, changes: readonly FieldChange[]) {
  const now = { ...userFields(row), state: row.state } as Record<string, unknown>
  const fields = changes.filter(({ field }) => field !== 'groups')
  for (const { field, to } of fields)
    if (!isDeepStrictEqual(now[field] ?? null, to ?? null)) throw changedLater(field)
  const back = Object.fromEntries(fields.map(({ field, from }) => [field, from ?? null]))
  const { state = row.state, ...body } = back
  if (state === 'STAGED' && row.state !== 'STAGED')
    throw conflict('state_staged', 'state: a user cannot become STAGED again')
  return { body, state: state as UserState }
}

async function leave(
  { edges }: ImportContext,
  tx: Tx,
  actor: UserActor,
  userId: string,
  joined: readonly string[],
): Promise<void> {
  if (joined.length > 0) checkMayJoin(actor)
  const target = { type: 'user', id: userId } as const
  const current = new Set(await groupsOf(tx, actor.organizationId, target))
  for (const id of joined)
    if (current.has(id))
      await changeEdge(edges, tx, actor, {
        source: { type: 'user_group', id },
        target,
        op: 'remove',
      })
}

/** Deletes a user whom the import created, unless somebody has changed them since. */
async function uncreate(
  context: ImportContext,
  tx: Tx,
  actor: UserActor,
  { key, since }: { key: SourceKey; since: string },
  { userId, fingerprint, changes }: RowResult & { userId: string },
): Promise<void> {
  const row = await lockForRemoval(tx, actor.organizationId, userId)
  const { to: manager } = changes.find(({ field }) => field === 'manager') ?? {}
  // It is null once the manager is undone.
  if (row.manager !== null && row.manager !== manager) throw changedLater('manager')
  if (userFingerprint(row) !== fingerprint) throw changedLater('user')
  // Reports of the same import are undone, too; for all others somebody must choose a manager first.
  const own = await reportsCameSince(tx, key, userId, since)
  await removeLockedUser(context.users, tx, actor, row, own ? 'null' : undefined)
}

async function restore(
  context: ImportContext,
  tx: Tx,
  actor: UserActor,
  owner: string,
  { userId, changes, joined = [] }: RowResult & { userId: string },
): Promise<void> {
  const before = await lockUser(tx, actor.organizationId, userId)
  if (!before) throw conflict('deleted_later', 'the user was deleted after the import')
  const { body, state } = inverseOf(before, changes)
  const after = applyWrite(before, body, state, {
    now: new Date(),
    makeId: newId,
    restrictedFields: [],
  })
  await changeLockedUser(context.users, tx, actor, before, after, { owner, mail: false })
  await leave(context, tx, actor, userId, joined)
}

/** Takes back what a row of the import did, in one transaction. */
export async function undoRow(
  context: ImportContext,
  batch: Batch,
  actor: UserActor,
  row: BatchRow,
  finish: Finish,
): Promise<void> {
  const key = keyOf(batch)
  const { since } = batch.input as unknown as { since: string }
  const done = row.input as unknown as RowResult & { userId: string }
  await context.db.tx(key.organizationId, async (tx) => {
    if (done.action === 'create') await uncreate(context, tx, actor, { key, since }, done)
    else await restore(context, tx, actor, key.applicationId, done)
    if (done.linked && done.externalId !== null)
      await deleteLink(tx, key, done.externalId, done.userId)
    const message = done.action === 'create' ? 'deleted' : 'restored'
    await finish(tx, message, { action: done.action, userId: done.userId, changes: done.changes })
  })
}
