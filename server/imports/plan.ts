import { finishUnrun, holdBatch } from '../platform/batches/control.ts'
import {
  appendRows,
  deleteRows,
  knownKeys,
  saveResults,
  saveRows,
} from '../platform/batches/row-store.ts'
import { type Batch, noteBatch } from '../platform/batches/store.ts'
import type { Tx } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import { findUsers } from '../users/index.ts'
import { findReferences, matchAll } from './candidates.ts'
import type { ImportContext } from './context.ts'
import { type Decision, decide, type Rules } from './decide.ts'
import { type Incoming, isReadable, reader, type Unreadable } from './incoming.ts'
import { inputOf, type JobLike, keyOf, type Planned, type RowInput, rulesOf } from './job.ts'
import { absentUsers, countAbsences } from './link-store.ts'
import { countPlanned, managedByNew, repeatedRows } from './plan-store.ts'
import { ACTIONS, type Action } from './schema.ts'
import { exceeds, type Settings } from './settings.ts'
import type { Source, SourceRecord } from './sources/source.ts'

/** Records that are matched and written together. */
const CHUNK = 500

const EMPTY = { write: {}, state: null, manager: null, groups: [] }

const parked = (reason: string, message: string): Planned => ({
  action: 'park',
  userId: null,
  changes: [],
  reason,
  message,
})

const plannedOf = ({ after: _, ...planned }: Decision): Planned => planned

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

const messageOf = ({ action, message }: Planned): string =>
  message === undefined ? WOULD[action] : `${WOULD[action]}: ${message}`

const IDLE: readonly Action[] = ['none', 'skip', 'park']

/** Rows without work are finished at once, and all of them in a dry run. */
function rowOf(input: RowInput, dryRun: boolean) {
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

/** The plan of one chunk of records. */
export async function planChunk(
  { db }: Pick<ImportContext, 'db'>,
  batch: JobLike,
  read: (record: Record<string, unknown>) => Incoming | Unreadable,
  rules: Rules,
  records: readonly SourceRecord[],
): Promise<RowInput[]> {
  const key = keyOf(batch)
  const tenant = db.tenant(key.organizationId)
  const inputs: (RowInput | Incoming)[] = records.map((one) => {
    if ('problem' in one)
      return {
        externalId: null,
        ...EMPTY,
        plan: parked('unreadable', one.problem),
        unreadable: true,
      }
    const found = read(one.record)
    if (isReadable(found)) return found
    const { reason, message, externalId, write } = found
    return { ...EMPTY, externalId, write, plan: parked(reason, message), unreadable: true }
  })
  const incoming = inputs.filter((one): one is Incoming => !('plan' in one))
  const matches = await matchAll(tenant, key, incoming)
  const references = await findReferences(tenant, key, incoming, matches)
  const decided = new Map(
    incoming.map((one, at) => [one, decide(one, matches[at]!, references[at]!, rules)]),
  )
  return inputs.map((one) => ('plan' in one ? one : { ...one, plan: plannedOf(decided.get(one)!) }))
}

async function* chunksOf(source: Source, query: string): AsyncGenerator<SourceRecord[]> {
  const waiting: SourceRecord[] = []
  for await (const page of source.read(query === '' ? {} : { query })) {
    waiting.push(...page)
    while (waiting.length >= CHUNK) yield waiting.splice(0, CHUNK)
  }
  if (waiting.length > 0) yield waiting
}

/**
 * A record that a service sends twice has moved between two pages, and the later one is current. A file does not change
 * while it is read: there it is a mistake that somebody should see.
 */
async function parkCopies(tx: Tx, batch: Batch, rows: RowInput[]): Promise<RowInput[]> {
  const seen = await knownKeys(
    tx,
    batch,
    rows.flatMap(({ externalId }) => externalId ?? []),
  )
  return rows.map((row) => {
    const { externalId } = row
    if (externalId === null || !seen.has(externalId)) {
      if (externalId !== null) seen.add(externalId)
      return row
    }
    const message = `externalId: another record of the file has "${externalId}", too`
    return { ...row, externalId: null, plan: parked('claimed_twice', message), unreadable: true }
  })
}

/** Two records of the source cannot be one user: the first counts. */
async function parkRepeated(tx: Tx, batch: Batch): Promise<void> {
  for (const field of ['user', 'email', 'username'] as const) {
    const rows = await repeatedRows(tx, batch, field)
    if (rows.length === 0) continue
    await saveResults(
      tx,
      batch,
      rows.map(({ position, externalId, holder }) => {
        const message = `${field}: another record of this source, "${holder}", has the same`
        const plan = parked('claimed_twice', message)
        return {
          position,
          success: false,
          message: messageOf(plan),
          result: { ...plan, externalId },
        }
      }),
    )
  }
}

/** Users who only get a manager whom this job creates: their rows were planned before that was known. */
async function planManagers(tx: Tx, batch: Batch): Promise<void> {
  const { dryRun } = inputOf(batch)
  const rows = (await managedByNew(tx, batch)).map((input) => {
    const changes = [{ field: 'manager', to: input.manager }]
    const plan: Planned = { ...input.plan, action: 'update', changes }
    return rowOf({ ...input, plan }, dryRun)
  })
  if (rows.length > 0) await saveRows(tx, batch, rows)
}

/** Users whose record has been absent for so long that they are suspended. */
async function planAbsent(tx: Tx, batch: Batch, settings: Settings): Promise<RowInput[]> {
  const { missing } = settings
  const { operations, queryString, dryRun } = inputOf(batch)
  // Only a complete read can tell who is absent.
  if (queryString !== '' || missing.action === 'ignore' || !operations.includes('users.update'))
    return []
  const key = keyOf(batch)
  // This read is counted already, except in a dry run.
  const counted = dryRun ? missing.after - 1 : missing.after
  const absent = await absentUsers(tx, key, batch.id, counted)
  const users = await findUsers(
    tx,
    key.organizationId,
    absent.map(({ user_id }) => user_id),
  )
  const byId = new Map(users.map((user) => [user.id, user]))
  return absent.flatMap(({ external_id, user_id }) => {
    const user = byId.get(user_id)
    if (!user || user.state === 'SUSPENDED') return []
    const { username, email } = user
    const plan: Planned = {
      action: 'suspend',
      userId: user_id,
      changes: [{ field: 'state', from: user.state, to: 'SUSPENDED' }],
      reason: 'absent',
      message: `absent from ${missing.after} complete reads in a row`,
    }
    return {
      ...EMPTY,
      externalId: external_id,
      write: { username, email },
      state: 'SUSPENDED' as const,
      plan,
    }
  })
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
  await db.tx(organizationId, (tx) => deleteRows(tx, batch))
  for await (const records of chunksOf(source, queryString)) {
    const rows = await planChunk(context, batch, read, rules, records)
    const saved = await db.tx(organizationId, async (tx) => {
      const single = settings.source.kind === 'file' ? await parkCopies(tx, batch, rows) : rows
      return saveRows(
        tx,
        batch,
        single.map((row) => rowOf(row, dryRun)),
      )
    })
    if (!saved) return 'stopped'
  }
  return db.tx(organizationId, async (tx) => {
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
