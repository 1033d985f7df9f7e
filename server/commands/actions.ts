import { addNode, deleteNode, holdNodes } from '../graph/index.ts'
import { changesBetween, recordEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Queryable, Tx } from '../platform/db/index.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { isId, newId } from '../platform/ids.ts'
import type { CommandContext } from './context.ts'
import { runScheduledJob } from './job-definitions.ts'
import { ROOT, resourceOf, toCommand } from './records.ts'
import { findResult, type ResultRow, takeResult } from './result-store.ts'
import { checkSchedule, nextRun, type Schedule } from './schedule.ts'
import type { Command, CommandWrite } from './schema.ts'
import {
  type CommandRow,
  deleteCommand,
  findCommand,
  insertCommand,
  lockCommand,
  saveCommand,
} from './store.ts'

const DEFAULT_TIMEOUT = 120
const MAX_TIMEOUT = 86_400

export const commandNotFound = () => notFound('command_not_found', 'Not Found: no such command')

export async function getCommand(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<CommandRow> {
  const row = isId(id) ? await findCommand(db, organizationId, id) : undefined
  if (!row) throw commandNotFound()
  return row
}

export const planOf = (row: CommandRow): Schedule => ({
  launchType: row.launch_type,
  schedule: row.schedule,
  scheduleYear: row.details.scheduleYear ?? null,
})

function timeoutOf(timeout: CommandWrite['timeout']): number {
  const seconds = Number(timeout ?? 0)
  if (seconds > MAX_TIMEOUT)
    throw invalid('bad_timeout', `timeout: must be at most ${MAX_TIMEOUT} seconds`)
  return seconds === 0 ? DEFAULT_TIMEOUT : seconds
}

const isTrue = (flag: CommandWrite['sudo']): boolean => flag === true || flag === 'true'

/** The whole record: PUT replaces it, so an omitted member is reset to its default. */
export function rowOf(organizationId: string, id: string, body: CommandWrite): CommandRow {
  const { trigger } = body
  const launchType = body.launchType || 'manual'
  if (launchType === 'trigger' && !trigger)
    throw invalid('trigger_missing', 'trigger: is required when launchType is trigger')
  return {
    organization_id: organizationId,
    id,
    name: body.name,
    command: body.command,
    command_type: body.commandType ?? 'linux',
    launch_type: launchType,
    schedule: body.schedule ?? '',
    schedule_repeat_type: body.scheduleRepeatType ?? '',
    trigger: trigger ?? '',
    run_as: body.user || (body.commandType === 'windows' ? '' : ROOT),
    sudo: isTrue(body.sudo),
    timeout_seconds: timeoutOf(body.timeout),
    details: {
      aiGenerated: isTrue(body.aiGenerated),
      description: body.description ?? '',
      files: body.files ?? [],
      filesS3: body.filesS3 ?? [],
      listensTo: body.listensTo ?? '',
      shell: body.shell ?? '',
      template: body.template ?? '',
      templatingRequired: isTrue(body.templatingRequired),
      ...(body.scheduleYear && { scheduleYear: body.scheduleYear }),
      ...(body.timeToLiveSeconds && { timeToLiveSeconds: body.timeToLiveSeconds }),
    },
    next_run_at: null,
  }
}

/** The id of the user to run as, who may be named by id or by login name. */
async function runAs(
  { userIdOf }: Pick<CommandContext, 'userIdOf'>,
  tx: Tx,
  organizationId: string,
  user: string,
): Promise<string> {
  if (user === '' || user === ROOT) return user
  if (user === 'root') return ROOT
  const id = isId(user) ? user : await userIdOf(tx, organizationId, user)
  const [found] = id ? await holdNodes(tx, organizationId, [{ type: 'user', id }]) : []
  if (!found) throw invalid('user_not_found', 'user: no such system user')
  return found.id
}

/** The row with its next run, for which a job is sent in the same transaction. */
export async function planned(
  { send }: Pick<CommandContext, 'send'>,
  tx: Tx,
  row: CommandRow,
  next: Date | null,
): Promise<CommandRow> {
  if (next === null) return { ...row, next_run_at: null }
  const at = next.toISOString()
  const ids = { organizationId: row.organization_id, commandId: row.id }
  await send(tx, runScheduledJob, { ...ids, at }, { startAfter: next })
  return { ...row, next_run_at: at }
}

export function createCommand(
  context: CommandContext,
  caller: Caller,
  body: CommandWrite,
): Promise<Command> {
  const { organizationId } = caller
  const written = rowOf(organizationId, newId(), body)
  const now = new Date()
  checkSchedule(planOf(written), now)
  return context.db.tx(organizationId, async (tx) => {
    const row = { ...written, run_as: await runAs(context, tx, organizationId, written.run_as) }
    await insertCommand(tx, await planned(context, tx, row, nextRun(planOf(row), now)))
    await addNode(tx, organizationId, 'command', row.id)
    await recordEvent(tx, caller, {
      event_type: 'command_create',
      resource: resourceOf(row),
      changes: changesBetween({}, toCommand(row)),
    })
    return toCommand(row)
  })
}

export function replaceCommand(
  context: CommandContext,
  caller: Caller,
  id: string,
  body: CommandWrite,
): Promise<Command> {
  const { organizationId } = caller
  const now = new Date()
  return context.db.tx(organizationId, async (tx) => {
    const before = isId(id) ? await lockCommand(tx, organizationId, id) : undefined
    if (!before) throw commandNotFound()
    const written = rowOf(organizationId, before.id, body)
    checkSchedule(planOf(written), now)
    const row = { ...written, run_as: await runAs(context, tx, organizationId, written.run_as) }
    const changes = changesBetween(toCommand(before), toCommand(row))
    if (changes.length === 0) return toCommand(before)
    await saveCommand(tx, await planned(context, tx, row, nextRun(planOf(row), now)))
    await recordEvent(tx, caller, {
      event_type: 'command_update',
      resource: resourceOf(row),
      changes,
    })
    return toCommand(row)
  })
}

export function removeCommand(
  { db }: CommandContext,
  caller: Caller,
  id: string,
): Promise<Command> {
  const { organizationId } = caller
  return db.tx(organizationId, async (tx) => {
    const row = isId(id) ? await lockCommand(tx, organizationId, id) : undefined
    if (!row) throw commandNotFound()
    const eventId = await recordEvent(tx, caller, {
      event_type: 'command_delete',
      resource: resourceOf(row),
    })
    await deleteNode(tx, organizationId, 'command', row.id, eventId)
    await deleteCommand(tx, organizationId, row.id)
    return toCommand(row)
  })
}

const resultNotFound = () =>
  notFound('command_result_not_found', 'Not Found: no such command result')

export async function getResult(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ResultRow> {
  const row = isId(id) ? await findResult(db, organizationId, id) : undefined
  if (!row) throw resultNotFound()
  return row
}

export function removeResult(
  { db }: CommandContext,
  caller: Caller,
  id: string,
): Promise<ResultRow> {
  const { organizationId } = caller
  return db.tx(organizationId, async (tx) => {
    const row = isId(id) ? await takeResult(tx, organizationId, id) : undefined
    if (!row) throw resultNotFound()
    await recordEvent(tx, caller, {
      event_type: 'commandresult_delete',
      resource: { type: 'commandresult', id: row.id, name: row.name },
    })
    return row
  })
}
