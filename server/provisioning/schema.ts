import { type Static, Type } from 'typebox'
import { Mapping, MappingPreviewRow } from '../platform/mapping/schema.ts'
import { ConnectionAuth, ScimQuirks } from '../scim/schema.ts'

export type { ScimQuirks }

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])
const Time = Type.String({ format: 'date-time' })
const strict = { additionalProperties: false } as const

const GroupPush = Type.Object(
  {
    push: Type.Boolean({ description: 'Whether groups that are bound are pushed too' }),
    only: Type.Optional(
      nullable(
        Type.Array(Type.String(), {
          maxItems: 1000,
          description: 'Ids of the groups to push; all bound ones when absent',
        }),
      ),
    ),
  },
  strict,
)

const Deprovision = Type.Object(
  {
    action: Type.Enum(['deactivate', 'delete', 'delete_after']),
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3650, description: 'For delete_after' }),
    ),
  },
  strict,
)

const Limits = Type.Object(
  {
    concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 16 })),
    perSecond: Type.Optional(nullable(Type.Number({ minimum: 0.1, maximum: 1000 }))),
  },
  strict,
)

const RemovalLimit = Type.Object(
  {
    users: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 }))),
    percent: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 100 }))),
  },
  {
    ...strict,
    description:
      'More removals at once than this wait for an administrator. The percentage counts from the 11th removal on.',
  },
)

export const ReconcileMode = Type.Enum(['report', 'repair', 'adopt'], {
  description:
    'report: only list the differences. repair: also write what is missing or changed. adopt: also take over accounts of bound users that someone else made.',
})
export type ReconcileMode = Static<typeof ReconcileMode>

const ReconcileSchedule = Type.Object(
  {
    everyHours: nullable(Type.Integer({ minimum: 1, maximum: 720 })),
    mode: Type.Optional(ReconcileMode),
  },
  strict,
)

const Adopt = Type.Enum(['never', 'matching', 'always'], {
  description:
    'What becomes of an account that the provider has already by the name of a new one: matching takes it over if it has the e-mail address of the user, always in any case. Otherwise the new one is parked as exists. Accounts that carry the id of the user are always taken over, those with the id of somebody else never.',
})
export type Adopt = Static<typeof Adopt>

export const ProvisioningPut = Type.Object(
  {
    baseUrl: Type.String({
      minLength: 1,
      maxLength: 2000,
      pattern: '^https?://',
      description: 'The SCIM 2.0 base URL, such as https://example.com/scim/v2',
    }),
    auth: ConnectionAuth,
    mapping: Type.Optional(
      Type.Union([Mapping, Type.Null()], {
        description:
          'From attributes of the user to the SCIM resource; that of the template when absent',
      }),
    ),
    groups: Type.Optional(GroupPush),
    deprovision: Type.Optional(Deprovision),
    limits: Type.Optional(Limits),
    adopt: Type.Optional(Adopt),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Only plan: nothing is written to the provider' }),
    ),
    removalLimit: Type.Optional(RemovalLimit),
    reconcile: Type.Optional(ReconcileSchedule),
    deprovisionTargetSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_592_000,
        description: 'A removal that takes longer is reported by an event',
      }),
    ),
    requireProvisioned: Type.Optional(
      Type.Boolean({
        description: 'Refuse single sign-on to users who do not have their account yet',
      }),
    ),
  },
  { title: 'ProvisioningPut', ...strict },
)
export type ProvisioningPut = Static<typeof ProvisioningPut>

export const ProvisioningDefaults = Type.Object(
  {
    baseUrl: nullable(
      Type.String({ description: 'With placeholders, such as https://{host}/scim/v2' }),
    ),
    auth: Type.Enum(['bearer', 'basic', 'header', 'oauth']),
    groups: Type.Boolean({ description: 'Whether the provider takes groups' }),
    note: nullable(Type.String()),
    mapping: Mapping,
  },
  { title: 'ProvisioningDefaults' },
)
export type ProvisioningDefaults = Static<typeof ProvisioningDefaults>

const stopReason = nullable(
  Type.String({
    description: 'For machines: rights_lost, when the one who set it up may no longer read users',
  }),
)

const STATUSES = ['inactive', 'active', 'stopped'] as const

export const Provisioning = Type.Object(
  {
    applicationId: Type.String(),
    idmClientId: Type.String(),
    status: Type.Enum([...STATUSES]),
    statusReason: nullable(Type.String()),
    reason: stopReason,
    baseUrl: Type.String(),
    auth: Type.Object({ type: Type.String() }, { additionalProperties: true }),
    mapping: Mapping,
    groups: Type.Object({ push: Type.Boolean(), only: nullable(Type.Array(Type.String())) }),
    deprovision: Deprovision,
    limits: Type.Object({ concurrency: Type.Integer(), perSecond: nullable(Type.Number()) }),
    adopt: Adopt,
    dryRun: Type.Boolean(),
    removalLimit: Type.Object({
      users: nullable(Type.Integer()),
      percent: nullable(Type.Number()),
    }),
    reconcile: Type.Object({
      everyHours: nullable(Type.Integer()),
      mode: ReconcileMode,
    }),
    deprovisionTargetSeconds: Type.Integer(),
    requireProvisioned: Type.Boolean(),
    quirks: ScimQuirks,
    created: Time,
    updated: Time,
  },
  { title: 'Provisioning' },
)
export type Provisioning = Static<typeof Provisioning>

export const ACCOUNT_STATES = [
  'pending',
  'staged',
  'provisioned',
  'deactivated',
  'deleted',
  'none',
] as const
export type AccountState = (typeof ACCOUNT_STATES)[number]

/** How far writing of a user or a group is. */
const writing = {
  since: Time,
  remoteId: nullable(Type.String()),
  waiting: Type.Boolean({ description: 'A change is not yet written' }),
  parked: Type.Boolean({ description: 'Failed, and not tried again until something changes' }),
  attempts: Type.Integer(),
  errorKind: nullable(Type.String()),
  error: nullable(Type.String()),
  nextAttempt: nullable(Time),
}

const account = {
  state: Type.Enum([...ACCOUNT_STATES], {
    description:
      'pending: not there yet. staged: waits for the activation of the user. none: nothing was ever written.',
  }),
  ...writing,
  removalSince: nullable(Time),
  deleteAt: nullable(Time),
}

export const ProvisionedUser = Type.Object(
  { userId: Type.String(), username: Type.String(), ...account },
  { title: 'ProvisionedUser' },
)
export type ProvisionedUser = Static<typeof ProvisionedUser>
export const ProvisionedUserList = Type.Array(ProvisionedUser)

export const ProvisionedUserDetail = Type.Object(
  {
    ...ProvisionedUser.properties,
    written: nullable(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'ProvisionedUserDetail' },
)

const GROUP_STATES = ['pending', 'provisioned', 'deleted', 'none'] as const
export type GroupState = (typeof GROUP_STATES)[number]

export const ProvisionedGroup = Type.Object(
  {
    groupId: Type.String(),
    name: Type.String(),
    state: Type.Enum([...GROUP_STATES]),
    ...writing,
  },
  { title: 'ProvisionedGroup' },
)
export type ProvisionedGroup = Static<typeof ProvisionedGroup>
export const ProvisionedGroupList = Type.Array(ProvisionedGroup)

export const UserProvisioning = Type.Array(
  Type.Object(
    {
      applicationId: Type.String(),
      application: Type.String(),
      active: Type.Boolean(),
      ...account,
    },
    { title: 'UserProvisioning' },
  ),
)

const Percentiles = Type.Object({
  removals: Type.Integer(),
  p50: nullable(Type.Integer()),
  p95: nullable(Type.Integer()),
  p99: nullable(Type.Integer()),
})

const CountedUsers = Type.Object({
  bound: Type.Integer(),
  provisioned: Type.Integer(),
  staged: Type.Integer(),
  none: Type.Integer({ description: 'Bound, but suspended before an account was ever written' }),
  deactivated: Type.Integer(),
  deleted: Type.Integer(),
  waiting: Type.Integer(),
  failing: Type.Integer(),
  parked: Type.Integer(),
})

export const ProvisioningStatus = Type.Object(
  {
    status: Type.Enum([...STATUSES]),
    statusReason: nullable(Type.String()),
    reason: stopReason,
    dryRun: Type.Boolean(),
    working: Type.Boolean({ description: 'A worker is writing to the provider now' }),
    requested: Type.Boolean({
      description: 'All accounts are to be compared, which has not begun',
    }),
    pausedUntil: nullable(Time),
    users: CountedUsers,
    groups: Type.Object({
      provisioned: Type.Integer(),
      waiting: Type.Integer(),
      parked: Type.Integer(),
    }),
    heldRemovals: nullable(
      Type.Object(
        { users: Type.Integer(), since: Time },
        { description: 'Removals that wait for POST …/plan/confirm' },
      ),
    ),
    deprovisioning: Type.Object(
      {
        targetSeconds: Type.Integer(),
        waiting: Type.Integer(),
        oldestSeconds: nullable(Type.Number()),
        milliseconds: Percentiles,
      },
      {
        description: 'Removals confirmed in the last 30 days, from the change to the confirmation',
      },
    ),
    reconciliation: nullable(Type.Object({}, { additionalProperties: true })),
    quirks: ScimQuirks,
  },
  { title: 'ProvisioningStatus' },
)
export type ProvisioningStatus = Static<typeof ProvisioningStatus>

const PLAN_ACTIONS = ['create', 'update', 'deactivate', 'delete'] as const

export const ProvisioningPlan = Type.Object(
  {
    users: Type.Object({
      create: Type.Integer(),
      update: Type.Integer(),
      deactivate: Type.Integer(),
      delete: Type.Integer(),
      unchanged: Type.Integer(),
      skipped: Type.Integer({ description: 'STAGED users' }),
      incomplete: Type.Integer({ description: 'Users who lack a required attribute' }),
    }),
    heldForConfirmation: Type.Boolean({ description: 'The removals exceed removalLimit' }),
    results: Type.Array(
      Type.Object({
        userId: Type.String(),
        username: Type.String(),
        action: Type.Enum([...PLAN_ACTIONS]),
        changes: Type.Array(Type.String(), { description: 'Attributes that would be written' }),
        problems: Type.Array(Type.String()),
        existing: nullable(
          Type.Enum(['adopted', 'parked'], {
            description:
              'Of a new account: the provider has one with the name, which becomes this one, or parks it as exists. Null: there is none, or the provider did not answer in time.',
          }),
        ),
      }),
    ),
  },
  { title: 'ProvisioningPlan' },
)
export type ProvisioningPlan = Static<typeof ProvisioningPlan>

export const ProvisioningTest = Type.Object(
  {
    ok: Type.Boolean(),
    steps: Type.Array(
      Type.Object({
        name: Type.String(),
        ok: Type.Boolean(),
        ms: Type.Integer(),
        message: Type.String(),
      }),
    ),
  },
  { title: 'ProvisioningTest' },
)
export type ProvisioningTest = Static<typeof ProvisioningTest>

export const ProvisioningPreview = Type.Object(
  {
    userId: Type.String(),
    username: Type.String(),
    rows: Type.Array(MappingPreviewRow),
    resource: Type.Object({}, { additionalProperties: true }),
    problems: Type.Array(Type.String()),
  },
  { title: 'ProvisioningPreview' },
)

export const PreviewRequest = Type.Object(
  {
    userId: Type.String(),
    mapping: Type.Optional(Mapping),
  },
  { title: 'ProvisioningPreviewRequest', ...strict },
)
