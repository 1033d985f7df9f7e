import { type Static, type TSchema, Type } from 'typebox'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })
const date = Type.String({ format: 'date-time' })
const nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()])
const optional = Type.Optional
const text = optional(Type.String())
const flag = optional(Type.Boolean())

export const IdParams = Type.Object({ id: Type.String() })

const FileS3 = Type.Object({
  destination: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  objectStorageId: Type.String({ minLength: 1 }),
  sha256: Type.String({ minLength: 1 }),
})

/** v1 command. `fields` may leave members out. */
export const Command = Type.Object(
  {
    _id: Id,
    id: Id,
    aiGenerated: flag,
    command: text,
    commandRunners: optional(Type.Array(Type.String())),
    commandType: optional(Type.Enum(['linux', 'mac', 'windows'])),
    description: text,
    files: optional(Type.Array(Type.String())),
    filesS3: optional(Type.Array(FileS3)),
    launchType: text,
    listensTo: text,
    name: text,
    organization: optional(Id),
    schedule: text,
    scheduleRepeatType: text,
    scheduleYear: optional(Type.Integer()),
    shell: text,
    sudo: flag,
    template: text,
    templatingRequired: flag,
    timeToLiveSeconds: optional(Type.Integer()),
    timeout: text,
    trigger: text,
    user: text,
  },
  { title: 'Command' },
)
export type Command = Static<typeof Command>

export const CommandList = Type.Object(
  { totalCount: Type.Integer(), results: Type.Array(Command) },
  { title: 'CommandList' },
)

/** Clients send flags and numbers as strings, and null for empty values. */
const Flag = Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false'), Type.Null()])
const Text = nullable(Type.String({ maxLength: 4096 }))

export const CommandWrite = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 1024 }),
    command: Type.String({ minLength: 1, maxLength: 262_144 }),
    commandType: optional(nullable(Type.Enum(['linux', 'mac', 'windows']))),
    aiGenerated: optional(Flag),
    description: optional(Text),
    files: optional(nullable(Type.Array(Type.String()))),
    filesS3: optional(nullable(Type.Array(FileS3))),
    launchType: optional(
      nullable(
        Type.Enum(['', 'manual', 'trigger', 'repeated', 'one-time', 'immediate', 'scheduled']),
      ),
    ),
    listensTo: optional(Text),
    schedule: optional(
      nullable(
        Type.String({
          maxLength: 256,
          description: 'Cron expression in UTC with a leading seconds field, or immediate',
        }),
      ),
    ),
    scheduleRepeatType: optional(Text),
    scheduleYear: optional(nullable(Type.Integer({ minimum: 1970, maximum: 9999 }))),
    shell: optional(Text),
    sudo: optional(Flag),
    template: optional(Text),
    templatingRequired: optional(Flag),
    timeToLiveSeconds: optional(nullable(Type.Integer({ minimum: 0, maximum: 2_592_000 }))),
    timeout: optional(
      Type.Union([
        Type.Integer({ minimum: 0, maximum: 86_400 }),
        Type.String({ pattern: '^\\d{0,5}$', description: 'Seconds, at most 86400' }),
        Type.Null(),
      ]),
    ),
    trigger: optional(nullable(Type.String({ maxLength: 256 }))),
    user: optional(
      nullable(
        Type.String({
          description:
            'The system user to run as, by id or login name; root is also 000000000000000000000000',
        }),
      ),
    ),
  },
  { title: 'CommandWrite', additionalProperties: true },
)
export type CommandWrite = Static<typeof CommandWrite>

export const CommandResult = Type.Object(
  {
    _id: Id,
    id: Id,
    command: text,
    exitCode: optional(nullable(Type.Integer())),
    files: optional(Type.Array(Type.String())),
    name: text,
    organization: optional(Id),
    requestTime: optional(date),
    response: optional(
      Type.Object({
        data: Type.Object({ exitCode: nullable(Type.Integer()), output: Type.String() }),
        error: Type.String(),
        id: Type.String(),
      }),
    ),
    responseTime: optional(date),
    sudo: flag,
    system: text,
    systemId: text,
    user: text,
    workflowId: text,
    workflowInstanceId: text,
  },
  { title: 'CommandResult' },
)
export type CommandResult = Static<typeof CommandResult>

export const CommandResultList = Type.Object(
  { totalCount: Type.Integer(), results: Type.Array(CommandResult) },
  { title: 'CommandResultList' },
)

const Ids = nullable(Type.Array(Type.String(), { maxItems: 10_000 }))
export const RunRequest = Type.Object(
  {
    _id: optional(Type.String()),
    systemIds: optional(Ids),
    systems: optional(Ids),
    systemGroups: optional(Ids),
  },
  { title: 'RunCommand', additionalProperties: true },
)
export type RunRequest = Static<typeof RunRequest>

export const RunAnswer = Type.Object(
  { queueIds: Type.Array(Id), workflowInstanceId: Id },
  { title: 'RunCommandReturn' },
)

export const TriggerAnswer = Type.Object(
  { triggered: Type.Array(Type.String()) },
  { title: 'TriggerReturn' },
)

export const CommandFiles = Type.Object(
  {
    totalCount: Type.Integer(),
    results: Type.Array(
      Type.Object({ _id: Type.String(), name: Type.String(), destination: Type.String() }),
    ),
  },
  { title: 'CommandFiles' },
)

export const QueuedCommands = Type.Object(
  {
    totalCount: Type.Integer(),
    results: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        command: Type.String(),
        commandId: nullable(Id),
        launchType: Type.String(),
        pendingCount: Type.Integer(),
        requestTime: date,
      }),
    ),
  },
  { title: 'QueuedCommandList' },
)

export const CommandRun = Type.Object(
  {
    totalCount: Type.Integer({
      description: 'Systems of the run, without cancelled and expired ones',
    }),
    pendingCount: Type.Integer({ description: 'Systems that have sent no result yet' }),
    failedCount: Type.Integer({ description: 'Results with another exit code than 0' }),
    requestTime: date,
    results: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Of the result, once there is one' }),
        systemId: Id,
        system: Type.String(),
        status: Type.Enum(['queued', 'fetched', 'finished'], {
          description: 'fetched: the system has it, and has not answered yet',
        }),
        exitCode: nullable(Type.Integer()),
        responseTime: nullable(date),
      }),
      { description: 'The latest result first, then those that are awaited' },
    ),
  },
  { title: 'CommandRun' },
)
export type CommandRun = Static<typeof CommandRun>

/** The result an agent sends after running a command. */
export const AgentResult = Type.Object({
  exitCode: nullable(Type.Integer()),
  output: Type.String({ description: 'Base64' }),
  error: Type.String({ maxLength: 8192 }),
})
export type AgentResult = Static<typeof AgentResult>
