import { type Static, Type } from 'typebox'
import { Mapping, MappingPreviewRow } from '../platform/mapping/schema.ts'
import { SourceConfig } from './sources/schema.ts'

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])
const Time = Type.String({ format: 'date-time' })
const strict = { additionalProperties: false } as const
const open = { additionalProperties: true } as const
const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })

export const ACTIONS = [
  'create',
  'update',
  'suspend',
  'reactivate',
  'none',
  'skip',
  'park',
] as const
export type Action = (typeof ACTIONS)[number]

export const OPERATIONS = ['users.create', 'users.update'] as const
const Operation = Type.Enum([...OPERATIONS])
export type Operation = Static<typeof Operation>

// Configuration ---------------------------------------------------------------------------------------------------------

const Threshold = Type.Object(
  {
    users: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 }))),
    percent: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 100 }))),
  },
  {
    ...strict,
    description:
      'A job over this limit waits for confirmation. The percentage counts from the 11th user on; null: no limit.',
  },
)

export const ImportConfigPut = Type.Object(
  {
    source: SourceConfig,
    mapping: Type.Optional(nullable(Mapping)),
    active: Type.Optional(Type.Boolean({ description: 'false: no job runs' })),
    protectFields: Type.Optional(
      Type.Boolean({
        description:
          'Whether the fields of the mapping can only be changed by the import; true by default, except for files',
      }),
    ),
    schedule: Type.Optional(
      nullable(Type.String({ maxLength: 100, description: 'Cron with five fields, in UTC' })),
    ),
    missing: Type.Optional(
      Type.Object(
        {
          action: Type.Enum(['ignore', 'suspend']),
          after: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
        },
        {
          ...strict,
          description:
            'What happens to users whose record is absent from so many complete reads in a row',
        },
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        { suspensions: Type.Optional(Threshold), changes: Type.Optional(Threshold) },
        strict,
      ),
    ),
    operations: Type.Optional(
      Type.Array(Operation, { minItems: 1, description: 'Of scheduled runs' }),
    ),
    allowUserReactivation: Type.Optional(
      Type.Boolean({ description: 'Of scheduled runs; false by default' }),
    ),
    activationEmails: Type.Optional(
      Type.Boolean({
        description: 'Whether users who become active are mailed a link to set their password',
      }),
    ),
  },
  { title: 'ImportConfigPut', ...strict },
)
export type ImportConfigPut = Static<typeof ImportConfigPut>

export const ImportConfig = Type.Object(
  {
    applicationId: Type.String(),
    idmClientId: Type.String(),
    source: Type.Object({ kind: Type.String() }, open),
    mapping: Mapping,
    active: Type.Boolean(),
    protectFields: Type.Boolean(),
    schedule: nullable(Type.String()),
    nextRun: nullable(Time),
    missing: Type.Object({ action: Type.String(), after: Type.Integer() }),
    limits: Type.Object({ suspensions: Threshold, changes: Threshold }),
    operations: Type.Array(Operation),
    allowUserReactivation: Type.Boolean(),
    activationEmails: Type.Boolean(),
    file: nullable(Type.Object({ name: Type.String(), bytes: Type.Integer(), created: Time })),
    created: Time,
    updated: Time,
  },
  { title: 'ImportConfig' },
)
export type ImportConfig = Static<typeof ImportConfig>

export const ImportTest = Type.Object(
  {
    ok: Type.Boolean(),
    message: Type.String(),
    ms: Type.Integer(),
    records: Type.Integer({ description: 'On the first page' }),
    members: Type.Array(Type.String(), { description: 'The paths of the first records' }),
  },
  { title: 'ImportTest' },
)
export type ImportTest = Static<typeof ImportTest>

export const ImportPreviewRequest = Type.Object(
  {
    mapping: Type.Optional(nullable(Mapping)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    queryString: Type.Optional(Type.String({ maxLength: 4096 })),
  },
  { title: 'ImportPreviewRequest', ...strict },
)
export type ImportPreviewRequest = Static<typeof ImportPreviewRequest>

const Change = Type.Object(
  { field: Type.String(), from: Type.Optional(Type.Unknown()), to: Type.Optional(Type.Unknown()) },
  { title: 'ImportChange' },
)

const decision = {
  action: Type.Enum([...ACTIONS], {
    description:
      'none: already the same. skip: the job does not do this. park: needs an administrator; see reason.',
  }),
  userId: nullable(Type.String()),
  changes: Type.Array(Change),
  reason: nullable(Type.String()),
  message: nullable(Type.String()),
}

export const ImportPreview = Type.Array(
  Type.Object(
    {
      record: Type.Object({}, { ...open, description: 'As the source sent it' }),
      rules: Type.Array(MappingPreviewRow),
      externalId: nullable(Type.String()),
      user: Type.Object({}, { ...open, description: 'The result of the mapping' }),
      ...decision,
    },
    { title: 'ImportPreview' },
  ),
)
export type ImportPreview = Static<typeof ImportPreview>

// Users of the source ---------------------------------------------------------------------------------------------------

const text = Type.Optional(Type.String())

export const ImportUser = Type.Object(
  {
    id: nullable(Type.String({ description: 'The id of the record at the source' })),
    username: text,
    email: text,
    alternateEmail: text,
    firstname: text,
    middlename: text,
    lastname: text,
    displayname: text,
    company: text,
    costCenter: text,
    department: text,
    employeeIdentifier: text,
    employeeType: text,
    jobTitle: text,
    location: text,
    manager: text,
    state: text,
    addresses: Type.Optional(Type.Array(Type.Object({}, open))),
    phoneNumbers: Type.Optional(
      Type.Array(Type.Object({ type: text, value: text }), {
        description: '`value`, not `number`',
      }),
    ),
    attributes: Type.Optional(Type.Array(Type.Object({ name: text, value: text }))),
    groups: Type.Optional(Type.Array(Type.String())),
    status: Type.Enum(['new', 'changed', 'unchanged', 'conflicting']),
    reason: nullable(Type.String()),
    message: nullable(Type.String()),
    userId: nullable(Type.String()),
  },
  { title: 'ImportUser' },
)
export type ImportUser = Static<typeof ImportUser>

export const ImportUsersQuery = Type.Object({
  filter: Type.Optional(
    Type.String({ maxLength: 256, description: 'Part of a name, an address or an id' }),
  ),
  query: Type.Optional(
    Type.String({ maxLength: 4096, description: 'Passed to the source, as queryString of a job' }),
  ),
  sort: Type.Optional(Type.Enum(['', 'firstname', 'lastname', 'email'])),
  sortOrder: Type.Optional(Type.Enum(['asc', 'desc'])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })),
  sessionId: Type.Optional(Type.String({ maxLength: 256, description: 'Ignored' })),
  isCount: Type.Optional(Type.Boolean({ description: 'Only the total, in x-total-count' })),
  isCursor: Type.Optional(
    Type.Boolean({ description: 'Page by x-cursor; the source is not read to its end' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 64 })),
})
export type ImportUsersQuery = Static<typeof ImportUsersQuery>

// Jobs ------------------------------------------------------------------------------------------------------------------

export const ImportJobCreate = Type.Object(
  {
    operations: Type.Array(Operation, { minItems: 1, maxItems: 2 }),
    allowUserReactivation: Type.Optional(
      Type.Boolean({ description: 'Reactivate suspended users on update; true by default' }),
    ),
    queryString: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'Passed to the source: a URL query for REST, a filter for SCIM',
      }),
    ),
    state: Type.Optional(Type.Enum(['STAGED', 'ACTIVATED', 'SUSPENDED'])),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only plan: the directory stays as it is' })),
  },
  { title: 'ImportJobCreate', ...open },
)
export type ImportJobCreate = Static<typeof ImportJobCreate>

export const ImportJobId = Type.Object(
  { _id: Id, jobId: Type.String({ description: 'The same' }) },
  { title: 'ImportJobId' },
)

const Counts = Type.Object(
  Object.fromEntries(ACTIONS.map((action) => [action, Type.Integer()])) as Record<
    (typeof ACTIONS)[number],
    ReturnType<typeof Type.Integer>
  >,
)

export const ImportJob = Type.Object(
  {
    _id: Id,
    id: Id,
    kind: Type.Enum(['import', 'undo']),
    applicationId: Type.String(),
    status: Type.Enum(['queued', 'running', 'waiting', 'finished', 'failed', 'cancelled'], {
      description: 'waiting: for confirmation, because a limit of the source is exceeded',
    }),
    phase: Type.Enum(['plan', 'apply', 'done']),
    statusReason: nullable(Type.String()),
    reason: nullable(
      Type.String({
        description: 'Of a job that failed as a whole: for machines, such as rights_lost',
      }),
    ),
    operations: Type.Array(Operation),
    allowUserReactivation: Type.Boolean(),
    queryString: Type.String(),
    state: nullable(Type.Enum(['STAGED', 'ACTIVATED', 'SUSPENDED'])),
    dryRun: Type.Boolean(),
    undoOf: nullable(Type.String()),
    startedBy: Type.Object({ type: Type.String() }, open),
    total: Type.Integer({ description: 'Rows so far' }),
    pending: Type.Integer(),
    succeeded: Type.Integer(),
    failed: Type.Integer({ description: 'Including parked rows' }),
    planned: Counts,
    created: Time,
    updated: Time,
    startedAt: nullable(Time),
    finishedAt: nullable(Time),
  },
  { title: 'ImportJob' },
)
export type ImportJob = Static<typeof ImportJob>

export const ImportResult = Type.Object(
  {
    id: Id,
    createdAt: Time,
    updatedAt: Time,
    status: Type.Enum(['Pending', 'Finished']),
    statusMsg: Type.String(),
    persistedFields: Type.Object({}, { ...open, description: 'The user as mapped' }),
    meta: Type.Object({}, { ...open, description: 'success, action, userId, changes, reason' }),
  },
  { title: 'ImportResult' },
)
export type ImportResult = Static<typeof ImportResult>
