import { holdNodes, membersOf, reachableIds } from '../graph/index.ts'
import { type Actor, recordEvent } from '../insights/index.ts'
import { type Caller, systemCaller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { isId, newId } from '../platform/ids.ts'
import { builtInCommandsOf, getSystem, readSystems, type SystemRow } from '../systems/index.ts'
import { commandNotFound, getCommand, planned, planOf } from './actions.ts'
import { BUILT_IN_SCRIPTS, type BuiltIn } from './built-in.ts'
import type { CommandContext } from './context.ts'
import {
  cancelWorkflow,
  enqueue,
  type NewQueued,
  type QueuedRow,
  type RunRow,
  readRun,
} from './queue-store.ts'
import { ROOT, resourceOf } from './records.ts'
import { runAfter } from './schedule.ts'
import type { CommandRun, RunRequest } from './schema.ts'
import {
  type CommandRow,
  commandsOfTrigger,
  lockCommand,
  lockUnplanned,
  saveNextRun,
} from './store.ts'

/** A queued command that its system has not fetched by then expires. */
const DEFAULT_SECONDS_TO_LIVE = 10 * 86_400

interface Run {
  queueIds: string[]
  workflowInstanceId: string
}

const FAMILIES: Record<CommandRow['command_type'], string> = {
  linux: 'linux',
  mac: 'darwin',
  windows: 'windows',
}
const fits = ({ command_type }: CommandRow, { os_family }: SystemRow): boolean =>
  os_family.toLowerCase() === FAMILIES[command_type]

async function queue(
  tx: Tx,
  actor: Actor & { organizationId: string },
  row: Omit<NewQueued, 'workflow_instance_id'>,
  systemIds: string[],
): Promise<Run> {
  const workflowInstanceId = newId()
  const targets = systemIds.map((systemId) => ({ id: newId(), systemId }))
  const { organizationId } = actor
  const queued = { ...row, workflow_instance_id: workflowInstanceId }
  await enqueue(tx, organizationId, queued, targets)
  await recordEvent(tx, actor, {
    event_type: 'command_run',
    resource: resourceOf({ id: row.command_id, name: row.name }),
    correlation: { id: workflowInstanceId, type: 'command_run' },
    changes: [{ field: 'systems', to: systemIds }],
  })
  return { queueIds: targets.map(({ id }) => id), workflowInstanceId }
}

async function queueCommand(
  { usernames }: CommandContext,
  tx: Tx,
  actor: Actor & { organizationId: string },
  command: CommandRow,
  systemIds: string[],
  launch: { by: QueuedRow['launched_by']; payload?: unknown },
): Promise<Run> {
  const { run_as } = command
  // Without a name the agent reports that it cannot run as that user.
  const name =
    run_as === ROOT
      ? 'root'
      : ((await usernames(tx, actor.organizationId, [run_as])).get(run_as) ?? '')
  return queue(
    tx,
    actor,
    {
      command_id: command.id,
      launched_by: launch.by,
      name: command.name,
      command: command.command,
      run_as,
      run_as_name: command.sudo ? 'root' : name,
      sudo: command.sudo,
      timeout_seconds: command.timeout_seconds,
      payload: launch.payload ?? null,
      seconds_to_live: command.details.timeToLiveSeconds ?? DEFAULT_SECONDS_TO_LIVE,
    },
    systemIds,
  )
}

/** Systems bound directly or through groups whose operating system the command supports. */
async function boundSystems(tx: Tx, command: CommandRow): Promise<string[]> {
  const { organization_id: organizationId, id } = command
  const ids = await reachableIds(tx, organizationId, { type: 'command', id }, 'system')
  const systems = await readSystems(tx, organizationId, ids)
  return systems.filter((system) => fits(command, system)).map((system) => system.id)
}

async function namedSystems(tx: Tx, command: CommandRow, body: RunRequest): Promise<string[]> {
  const { organization_id: organizationId } = command
  const named = new Set([...(body.systemIds ?? []), ...(body.systems ?? [])])
  for (const id of body.systemGroups ?? []) {
    const group = { type: 'system_group' as const, id }
    if (!isId(id) || (await holdNodes(tx, organizationId, [group])).length === 0)
      throw notFound('group_not_found', `systemGroups: no such group "${id}"`)
    const members = await membersOf(tx, organizationId, group)
    for (const member of members) named.add(member)
  }
  const systems = await readSystems(tx, organizationId, [...named].filter(isId))
  const byId = new Map(systems.map((system) => [system.id, system]))
  for (const id of named) {
    const system = byId.get(id)
    if (!system) throw notFound('system_not_found', `systemIds: no such system "${id}"`)
    if (!fits(command, system))
      throw invalid('wrong_system', `systemIds: ${id} is not a ${command.command_type} system`)
  }
  return [...named]
}

export function runCommand(
  context: CommandContext,
  caller: Caller,
  body: RunRequest,
): Promise<Run> {
  const { _id: id } = body
  if (!id) throw invalid('command_id_missing', 'command id is required: send it as _id')
  return context.db.tx(caller.organizationId, async (tx) => {
    const command = isId(id) ? await lockCommand(tx, caller.organizationId, id) : undefined
    if (!command) throw commandNotFound()
    const named = body.systemIds || body.systems || body.systemGroups
    const systemIds = named
      ? await namedSystems(tx, command, body)
      : await boundSystems(tx, command)
    if (systemIds.length === 0)
      throw invalid('no_systems', 'systemIds: name a system, or bind the command to one')
    return queueCommand(context, tx, caller, command, systemIds, { by: 'manual' })
  })
}

/** Runs every command with this trigger; the payload is passed to each. */
export function pullTrigger(
  context: CommandContext,
  caller: Caller,
  trigger: string,
  payload: unknown,
): Promise<string[]> {
  return context.db.tx(caller.organizationId, async (tx) => {
    const commands = await commandsOfTrigger(tx, caller.organizationId, trigger)
    if (commands.length === 0)
      throw notFound('trigger_not_found', 'Not Found: no command has this trigger')
    for (const command of commands) {
      const systemIds = await boundSystems(tx, command)
      await queueCommand(context, tx, caller, command, systemIds, { by: 'triggered', payload })
    }
    return commands.map(({ name }) => name)
  })
}

/** Idempotent: a repeated job, or one for a run that was rescheduled, does nothing. */
export function runScheduled(
  context: CommandContext,
  { organizationId, commandId, at }: { organizationId: string; commandId: string; at: string },
  now: Date,
): Promise<void> {
  return context.db.tx(organizationId, async (tx) => {
    const command = await lockCommand(tx, organizationId, commandId)
    if (command?.next_run_at !== at) return
    const actor = systemCaller(organizationId, 'schedule')
    const systemIds = await boundSystems(tx, command)
    await queueCommand(context, tx, actor, command, systemIds, { by: 'scheduled' })
    const next = runAfter(planOf(command), now)
    const { next_run_at } = await planned(context, tx, command, next)
    await saveNextRun(tx, organizationId, commandId, next_run_at)
  })
}

/** Schedules commands without a job, such as those from a restored archive or the demo world. */
export async function planForgotten(
  context: CommandContext,
  organizationId: string,
  now: Date,
): Promise<void> {
  await context.db.tx(organizationId, async (tx) => {
    for (const command of await lockUnplanned(tx, organizationId)) {
      // A one-time command that already ran has no next run either; do not run it again.
      const next = runAfter(planOf(command), now)
      const { next_run_at } = await planned(context, tx, command, next)
      await saveNextRun(tx, organizationId, command.id, next_run_at)
    }
  })
}

/** Restart and the like, on Linux and Windows only; queued while the system is offline. */
export function runBuiltIn(
  { db }: CommandContext,
  caller: Caller,
  systemId: string,
  name: BuiltIn,
): Promise<Run> {
  return db.tx(caller.organizationId, async (tx) => {
    const system = await getSystem(tx, caller.organizationId, systemId)
    if (!builtInCommandsOf(system.os_family).some((command) => command.name === name))
      throw invalid(
        'built_in_unsupported',
        `${name}: this system does not support this built-in command`,
      )
    return queue(
      tx,
      caller,
      {
        command_id: null,
        launched_by: 'built-in',
        name,
        command: BUILT_IN_SCRIPTS[name],
        run_as: ROOT,
        run_as_name: 'root',
        sudo: false,
        timeout_seconds: 120,
        payload: null,
        seconds_to_live: DEFAULT_SECONDS_TO_LIVE,
      },
      [system.id],
    )
  })
}

const statusOf = ({ response_time, fetched_at }: RunRow) =>
  response_time !== null ? 'finished' : fetched_at !== null ? 'fetched' : 'queued'

/** A run of a command on each of its systems. */
export async function describeRun(
  { db }: CommandContext,
  { organizationId }: Caller,
  commandId: string,
  runId: string,
  { limit, skip }: { limit: number; skip: number },
): Promise<CommandRun> {
  const tenant = db.tenant(organizationId)
  const command = await getCommand(tenant, organizationId, commandId)
  const read = (limit: number, skip: number) =>
    readRun(tenant, organizationId, command.id, runId, limit, skip)
  const rows = isId(runId) ? await read(limit, skip) : []
  const first = rows[0] ?? (isId(runId) && skip > 0 ? (await read(1, 0))[0] : undefined)
  if (!first) throw notFound('run_not_found', 'Not Found: no such run')
  const awaited = rows.filter((row) => row.system_name === null).map((row) => row.system_id)
  const systems = await readSystems(tenant, organizationId, awaited)
  const names = new Map(
    systems.map((system) => [system.id, system.display_name || system.hostname]),
  )
  return {
    totalCount: first.total,
    pendingCount: first.pending,
    failedCount: first.failed,
    requestTime: first.request_time,
    results: rows.map((row) => ({
      id: row.id,
      systemId: row.system_id,
      system: row.system_name ?? names.get(row.system_id) ?? '',
      status: statusOf(row),
      exitCode: row.exit_code,
      responseTime: row.response_time,
    })),
  }
}

/** Cancels the run on systems that have not sent a result. */
export function cancelRun(
  { db }: CommandContext,
  caller: Caller,
  workflowInstanceId: string,
): Promise<void> {
  const { organizationId } = caller
  return db.tx(organizationId, async (tx) => {
    const rows = isId(workflowInstanceId)
      ? await cancelWorkflow(tx, organizationId, workflowInstanceId)
      : []
    const [first] = rows
    if (!first) throw notFound('run_not_found', 'Not Found: no such pending run')
    await recordEvent(tx, caller, {
      event_type: 'command_cancel',
      resource: resourceOf({ id: first.command_id, name: first.name }),
      correlation: { id: workflowInstanceId, type: 'command_run' },
      changes: [{ field: 'systems', from: rows.map((row) => row.system_id) }],
    })
  })
}
