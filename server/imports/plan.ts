import { finishUnrun, holdBatch } from '../platform/batches/control.ts'
import { appendRows, deleteRows, saveRows } from '../platform/batches/row-store.ts'
import { type Batch, lockBatch, noteBatch } from '../platform/batches/store.ts'
import type { Tx } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import { planAbsent } from './absent.ts'
import type { ImportContext } from './context.ts'
import { reader } from './incoming.ts'
import { inputOf, keyOf, notesOf, type Planned, type RowInput, rulesOf } from './job.ts'
import { countAbsences } from './link-store.ts'
import { planChunk } from './plan-chunk.ts'
import { parkCopies, parkRepeated } from './plan-doubles.ts'
import { rowOf } from './plan-row.ts'
import { countPlanned, managedByNew } from './plan-store.ts'
import { ACTIONS, type Action } from './schema.ts'
import { exceeds, type Settings } from './settings.ts'
import type { Source, SourceRecord } from './sources/source.ts'

/** Records that are matched and written together. */
const CHUNK = 500

async function* chunksOf(source: Source, query: string): AsyncGenerator<SourceRecord[]> {
  const waiting: SourceRecord[] = []
  for await (const page of source.read(query === '' ? {} : { query })) {
    waiting.push(...page)
    while (waiting.length >= CHUNK) yield waiting.splice(0, CHUNK)
  }
  if (waiting.length > 0) yield waiting
}

/** Users who only get a manager whom this job creates: their rows were planned before that was known. */
async function planManagers(tx: Tx, batch: Batch): Promise<void> {
  const { dryRun } = inputOf(batch)
  const { create, none } = (await countPlanned(tx, batch)).counts
  if (create === 0 || none === 0) return
  const rows = (await managedByNew(tx, batch)).map((input) => {
    const changes = [{ field: 'manager', to: input.manager }]
    const plan: Planned = { ...input.plan, action: 'update', changes }
    return rowOf({ ...input, plan }, dryRun)
  })
  if (rows.length > 0) await saveRows(tx, batch, rows)
}

/** Why the plan needs a confirmation; undefined when it needs none. */
function excess(
  { limits }: Settings,
  counts: Record<Action, number>,
  matched: number,
): string | undefined {
  const { update, suspend, reactivate } = counts
  if (exceeds(limits.suspensions, suspend, matched))
    return `The job would suspend ${suspend} of ${matched} users`
  const changed = update + suspend + reactivate
  if (exceeds(limits.changes, changed, matched))
    return `The job would change ${changed} of ${matched} users`
  return undefined
}

/**
 * Begins a plan, from which on `isOurs` holds: until another run begins one, such as after this process was taken for
 * dead. Undefined when the rows are planned already.
 */
async function beginPlan(tx: Tx, batch: Batch) {
  const current = await lockBatch(tx, batch)
  if (!current || notesOf(current).planned) return undefined
  const planner = newId()
  await noteBatch(tx, batch, { planner })
  await deleteRows(tx, batch)
  return async (later: Tx) => {
    const now = await lockBatch(later, batch)
    return now !== undefined && notesOf(now).planner === planner
  }
}

/**
 * Reads the source and writes one row for each record, with what would be done. Nothing else changes, so a run that was
 * interrupted starts over. Returns whether the rows are to be applied.
 */
export async function planJob(
  context: ImportContext,
  batch: Batch,
  settings: Settings,
  source: Source,
): Promise<'apply' | 'waiting' | 'done' | 'stopped'> {
  const { db } = context
  const { organizationId } = keyOf(batch)
  const { dryRun, queryString } = inputOf(batch)
  const rules = rulesOf(batch, settings)
  const read = reader(settings.mapping)
  const isOurs = await db.tx(organizationId, (tx) => beginPlan(tx, batch))
  if (!isOurs) return 'apply'
  const save = (rows: RowInput[]) =>
    db.tx(organizationId, async (tx) => {
      if (!(await isOurs(tx))) return false
      const single = settings.source.kind === 'file' ? await parkCopies(tx, batch, rows) : rows
      return saveRows(
        tx,
        batch,
        single.map((row) => rowOf(row, dryRun)),
      )
    })
  // One chunk is saved while the next one is read and matched.
  let saving = Promise.resolve(true)
  try {
    for await (const records of chunksOf(source, queryString)) {
      const rows = await planChunk(context, batch, read, rules, records)
      if (!(await saving)) return 'stopped'
      saving = save(rows)
      // Thrown where it is awaited: until then it must not count as unhandled.
      saving.catch(() => {})
    }
    if (!(await saving)) return 'stopped'
  } finally {
    // A source that fails does not leave it behind.
    await saving.catch(() => {})
  }
  return db.tx(organizationId, async (tx) => {
    if (!(await isOurs(tx))) return 'stopped'
    await parkRepeated(tx, batch)
    await planManagers(tx, batch)
    if (queryString === '' && !dryRun) await countAbsences(tx, keyOf(batch), batch.id)
    const absent = await planAbsent(tx, batch, settings)
    for (let at = 0; at < absent.length; at += CHUNK)
      await appendRows(
        tx,
        batch,
        absent.slice(at, at + CHUNK).map((row) => rowOf(row, dryRun)),
      )
    const { counts, matched } = await countPlanned(tx, batch)
    await noteBatch(tx, batch, { planned: true, counts })
    if (dryRun) return (await finishUnrun(tx, batch)) ? 'done' : 'stopped'
    const held = excess(settings, counts, matched)
    if (held === undefined) return 'apply'
    await noteBatch(tx, batch, { held })
    return (await holdBatch(tx, batch)) ? 'waiting' : 'stopped'
  })
}

export const noCounts = (): Record<Action, number> =>
  Object.fromEntries(ACTIONS.map((action) => [action, 0])) as Record<Action, number>
