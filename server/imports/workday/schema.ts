import { type Static, type TSchema, Type } from 'typebox'
import { BulkUsersCreate } from '../../users/bulk/schema.ts'

export { BulkJob, BulkResult } from '../../users/bulk/schema.ts'

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const maybe = <T extends TSchema>(schema: T) => Type.Optional(orNull(schema))
// Generated clients send null for unknown values; unknown members are ignored.
const open = { additionalProperties: true }

const Name = Type.String({ description: 'Always "Workday Import"' })
const ReportUrl = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: '^https?://',
  description:
    'The JSON address of the report (RaaS), such as https://host/ccx/service/customreport2/tenant/owner/report?format=json',
})

export const WorkdayAuth = Type.Object(
  {
    basic: maybe(
      Type.Object(
        {
          // RFC 7617 §2: the user name cannot contain a colon.
          username: maybe(Type.String({ maxLength: 1000, pattern: '^[^:]*$' })),
          password: maybe(Type.String({ maxLength: 1000 })),
        },
        open,
      ),
    ),
    oauth: maybe(Type.Object({ code: maybe(Type.String()) }, open)),
  },
  { title: 'WorkdayAuth', description: 'Only basic authentication is supported', ...open },
)
export type WorkdayAuth = Static<typeof WorkdayAuth>

export const WorkdayAuthorize = Type.Object(
  { auth: WorkdayAuth },
  { title: 'WorkdayAuthorize', ...open },
)

export const WorkdayInput = Type.Object(
  { name: Name, reportUrl: ReportUrl, auth: WorkdayAuth },
  { title: 'WorkdayInput', ...open },
)
export type WorkdayInput = Static<typeof WorkdayInput>

export const WorkdayFields = Type.Object(
  { name: maybe(Name), reportUrl: maybe(ReportUrl) },
  { title: 'WorkdayFields', ...open },
)
export type WorkdayFields = Static<typeof WorkdayFields>

const AuthState = Type.Object({
  isValid: Type.Boolean({ description: 'Whether the report could be read at the last try' }),
  expiry: Type.String({ description: 'Empty: basic authentication does not expire' }),
  message: Type.String({ description: 'Why it could not be read' }),
})

/** Members may be left out by `fields`. */
export const Workday = Type.Object(
  {
    id: Type.String(),
    name: Type.Optional(Type.String()),
    reportUrl: Type.Optional(Type.String()),
    lastImport: Type.Optional(Type.String({ description: 'A time; empty before the first one' })),
    auth: Type.Optional(Type.Object({ basic: AuthState, oauth: AuthState })),
  },
  { title: 'Workday' },
)
export type Workday = Static<typeof Workday>

export const WorkdayWorker = Type.Object(
  {
    username: Type.String(),
    email: Type.String(),
    firstName: Type.String(),
    lastName: Type.String(),
    attributes: Type.Object(
      {},
      { ...open, description: 'All other members of the report, as they are' },
    ),
  },
  { title: 'WorkdayWorker' },
)
export type WorkdayWorker = Static<typeof WorkdayWorker>

/** Entries may have all members of a new user, beyond those of the specification. */
export const WorkdayEntries = BulkUsersCreate
export type WorkdayEntries = Static<typeof WorkdayEntries>
