import { type Static, Type } from 'typebox'

const count = (description: string) => Type.Optional(Type.Integer({ description }))

export const Attention = Type.Object(
  {
    lockedUsers: count('Users who are locked out'),
    expiredPasswords: count('Users whose password has expired'),
    usersWithoutMfa: count('Activated users without a second factor'),
    unseenSystems: count('Systems without contact for 14 days'),
    expiringCertificates: count('Applications whose certificate ends within 30 days'),
    failingProvisioning: count(
      'Applications whose SCIM connection is stopped, held or has failing accounts',
    ),
    parkedImports: count('Imports that wait for a confirmation'),
    failedJobs: count('Imports and bulk jobs that failed within 7 days'),
    failingForwarders: count('Forwarders whose receiver cannot be reached'),
  },
  { title: 'Attention' },
)
export type Attention = Static<typeof Attention>

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
    kind: Type.Enum(['import', 'undo', 'bulk', 'report', 'queue'], {
      description: 'queue: background work that failed at least once and is not done yet',
    }),
    name: Type.String({ description: 'Of the queue, or the type of the report' }),
    state: Type.Enum([...JOB_STATES], {
      description: 'waiting: for a confirmation; retrying: failed before, tried again by itself',
    }),
    total: nullable(Type.Integer({ description: 'Rows of an import or a bulk job' })),
    pending: nullable(Type.Integer()),
    failed: nullable(Type.Integer()),
    attempts: nullable(Type.Integer()),
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
