import { type Static, Type } from 'typebox'
import { UserCreate, UserPut } from '../schema.ts'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })
const open = { additionalProperties: true }

const BulkUserUpdate = Type.Object(
  { id: Id, ...UserPut.properties },
  { title: 'BulkUserUpdate', ...open },
)
const BulkUserAccount = Type.Object({ id: Id }, { title: 'BulkUserAccount', ...open })

const some = { minItems: 1, maxItems: 10_000 }
export const BulkUsersCreate = Type.Array(UserCreate, some)
export const BulkUsersUpdate = Type.Array(BulkUserUpdate, some)
export const BulkUserAccounts = Type.Array(BulkUserAccount, some)

export const BulkJob = Type.Object({ jobId: Id }, { title: 'BulkJob' })

export const BulkCreateJob = Type.Object(
  {
    jobId: Id,
    activationEmails: Type.Integer({
      description: 'How many users get a mail to choose their first password',
    }),
  },
  { title: 'BulkCreateJob' },
)

export const ReleasedEmails = Type.Object(
  { released: Type.Integer({ description: 'How many mails are on their way' }) },
  { title: 'ReleasedEmails' },
)

/** The result for one user of the job. */
export const BulkResult = Type.Object(
  {
    id: Id,
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
    status: Type.Enum(['Pending', 'Finished'], {
      description: 'Finished also on failure; see meta.success and statusMsg',
    }),
    statusMsg: Type.String(),
    persistedFields: Type.Object({}, { ...open, description: 'As sent, without the password' }),
    meta: Type.Object({}, open),
  },
  { title: 'BulkResult' },
)
export type BulkResult = Static<typeof BulkResult>
