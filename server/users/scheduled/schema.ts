import { type Static, Type } from 'typebox'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })

export const ScheduledStateCreate = Type.Object(
  {
    user_ids: Type.Array(Id, { minItems: 1, maxItems: 10_000 }),
    state: Type.Enum(['ACTIVATED', 'SUSPENDED']),
    start_date: Type.String({ format: 'date-time' }),
    send_activation_emails: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    activation_email_override: Type.Optional(
      Type.Union([
        Type.String({ format: 'email', maxLength: 1024 }),
        Type.Literal(''),
        Type.Null(),
      ]),
    ),
  },
  { title: 'ScheduledStateCreate', additionalProperties: true },
)
export type ScheduledStateCreate = Static<typeof ScheduledStateCreate>

export const ScheduledState = Type.Object(
  {
    scheduledJobId: Id,
    scheduledDate: Type.String({ format: 'date-time' }),
    state: Type.Enum(['ACTIVATED', 'SUSPENDED']),
    systemUserId: Id,
  },
  { title: 'ScheduledState' },
)
export type ScheduledState = Static<typeof ScheduledState>

export const NextScheduledStates = Type.Object(
  { events_count: Type.Integer(), results: Type.Array(ScheduledState) },
  { title: 'NextScheduledStates' },
)
