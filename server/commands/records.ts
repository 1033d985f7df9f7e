import type { ResultRow } from './result-store.ts'
import type { Command, CommandResult } from './schema.ts'
import type { CommandRow } from './store.ts'

/** The user id that means root in the API. */
export const ROOT = '000000000000000000000000'

const DEFAULTS = {
  aiGenerated: false,
  description: '',
  files: [],
  filesS3: [],
  listensTo: '',
  shell: '',
  template: '',
  templatingRequired: false,
} satisfies Partial<Command>

export const toCommand = (row: CommandRow): Command => ({
  _id: row.id,
  id: row.id,
  name: row.name,
  command: row.command,
  commandType: row.command_type,
  commandRunners: [],
  launchType: row.launch_type,
  organization: row.organization_id,
  schedule: row.schedule,
  scheduleRepeatType: row.schedule_repeat_type,
  sudo: row.sudo,
  timeout: String(row.timeout_seconds),
  trigger: row.trigger,
  user: row.run_as,
  ...DEFAULTS,
  ...row.details,
})

const MAX_COMMAND = 10_000
const MAX_OUTPUT = 40

/** Lists truncate the command. */
export function toCommandSummary(row: CommandRow): Command {
  const { command = '', ...rest } = toCommand(row)
  return { ...rest, command: command.slice(0, MAX_COMMAND) }
}

export const toResult = (row: ResultRow): CommandResult => ({
  _id: row.id,
  id: row.id,
  command: row.command,
  exitCode: row.exit_code,
  files: row.files,
  name: row.name,
  organization: row.organization_id,
  requestTime: row.request_time,
  response: {
    data: { exitCode: row.exit_code, output: row.output },
    error: row.error,
    id: row.id,
  },
  responseTime: row.response_time,
  sudo: row.sudo,
  system: row.system_name,
  systemId: row.system_id,
  user: row.run_as,
  workflowId: row.command_id ?? '',
  workflowInstanceId: row.workflow_instance_id,
})

/** Lists truncate the command and its output. */
export const toResultSummary = (row: ResultRow): CommandResult =>
  toResult({
    ...row,
    command: row.command.slice(0, MAX_COMMAND),
    output: row.output.slice(0, MAX_OUTPUT),
    error: row.error.slice(0, MAX_OUTPUT),
  })

/** The command as the resource of an event. */
export const resourceOf = ({ id, name }: { id: string | null; name: string }) => ({
  type: 'command',
  ...(id !== null && { id }),
  name,
})
