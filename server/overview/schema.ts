import { type Static, Type } from 'typebox'

const count = (description: string) => Type.Optional(Type.Integer({ description }))

export const Attention = Type.Object(
  {
    users: count('All users'),
    systems: count('All systems'),
    applications: count('All applications'),
    forwarders: count('All forwarders'),
    lockedUsers: count('Users who are locked out'),
    expiredPasswords: count('Users whose password has expired'),
    usersWithoutMfa: count('Activated users without a second factor'),
    unseenSystems: count('Systems without contact for 14 days'),
    expiringCertificates: count('Applications whose certificate ends within 30 days'),
    failingProvisioning: count(
      'Applications whose SCIM connection is stopped, held or has failing accounts',
    ),
    parkedImports: count('Imports that wait for a confirmation'),
    failedJobs: count('Imports, bulk jobs and background work that failed within 7 days'),
    failingForwarders: count('Forwarders whose receiver cannot be reached'),
  },
  { title: 'Attention' },
)
export type Attention = Static<typeof Attention>

const counted = Type.Union([Type.Integer(), Type.Null()], {
  description: 'Null if the caller may not read them',
})
export const ProviderOverview = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        maxSystemUsers: Type.Integer({ description: '0: no limit' }),
        users: counted,
        systems: counted,
        problems: Type.Union([Type.Integer(), Type.Null()], {
          description:
            'Locked users, systems not seen, certificates that end, failing provisioning, imports that wait, failed work and unreachable forwarders, as far as the caller may read them',
        }),
      }),
    ),
    totalCount: Type.Integer(),
    deleted: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        deleted: Type.String({ format: 'date-time' }),
        erased: Type.String({
          format: 'date-time',
          description: 'When its data will be erased; until then it can be restored',
        }),
      }),
      { description: 'Empty unless the caller can access all organizations of the provider' },
    ),
  },
  { title: 'ProviderOverview' },
)
export type ProviderOverview = Static<typeof ProviderOverview>

const Buckets = Type.Array(
  Type.Object({
    key: Type.Integer({ description: 'Start of the step, in milliseconds' }),
    doc_count: Type.Integer(),
  }),
  { description: 'Steps without events are left out' },
)
export const Activity = Type.Object(
  {
    services: Type.Array(Type.Object({ service: Type.String(), buckets: Buckets }), {
      description: 'Events per hour of the last 24 hours, of the four services with the most',
    }),
    signIns: Type.Array(Type.Object({ success: Type.Boolean(), buckets: Buckets }), {
      description: 'Sign-ins of users and administrators per six hours of the last 7 days',
    }),
    deniedReasons: Type.Array(Type.Object({ key: Type.String(), doc_count: Type.Integer() }), {
      description: 'The six most frequent of the last 7 days',
    }),
  },
  { title: 'Activity' },
)
export type Activity = Static<typeof Activity>

const JOB_STATES = [
  'queued',
  'running',
  'waiting',
  'retrying',
  'failed',
  'finished',
  'cancelled',
] as const

const nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  schema: T,
) => Type.Union([schema, Type.Null()])

export const OrganizationJob = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum(['import', 'plan', 'undo', 'bulk', 'report', 'queue'], {
      description:
        'plan: an import that changes nothing; queue: background work that failed at least once and is not done yet',
    }),
    name: Type.String({ description: 'Of the queue, or the type of the report' }),
    state: Type.Enum([...JOB_STATES], {
      description: 'waiting: for a confirmation; retrying: failed before, tried again by itself',
    }),
    total: nullable(Type.Integer({ description: 'Rows of an import or a bulk job' })),
    pending: nullable(Type.Integer()),
    failed: nullable(Type.Integer()),
    attempts: nullable(Type.Integer()),
    heldMails: nullable(
      Type.Integer({
        description:
          'Mails to the new users of a bulk job with holdEmails that POST /v2/bulk/users/{job_id}/emails/release sends',
      }),
    ),
    message: nullable(Type.String({ description: 'Why it failed as a whole' })),
    applicationId: nullable(Type.String({ description: 'The source of imported people' })),
    created: Type.String(),
    next: nullable(Type.String({ description: 'The next attempt' })),
    finished: nullable(Type.String()),
  },
  { title: 'OrganizationJob' },
)
export type OrganizationJob = Static<typeof OrganizationJob>

const HIT_TYPES = [
  'user',
  'user_group',
  'system_group',
  'system',
  'application',
  'administrator',
] as const

export const SearchHit = Type.Object(
  {
    type: Type.Enum([...HIT_TYPES]),
    id: Type.String(),
    name: Type.String(),
    about: Type.String({ description: 'Tells hits of one name apart, such as an e-mail address' }),
  },
  { title: 'SearchHit' },
)
export type SearchHit = Static<typeof SearchHit>
