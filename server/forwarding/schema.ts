import { type Static, Type } from 'typebox'

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])
const Time = Type.String({ format: 'date-time' })
const Cursor = Type.Tuple([Type.Integer(), Type.String()], {
  description: 'Milliseconds and id, as in X-Search_after',
})

export const FORMATS = ['json', 'ndjson'] as const
export const STATUSES = ['active', 'retrying', 'failed', 'paused'] as const

const settings = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  url: Type.String({ minLength: 1, maxLength: 2000, description: 'https://…' }),
  format: Type.Enum([...FORMATS], { description: 'A JSON array, or one document per line' }),
  enabled: Type.Boolean(),
  batch_size: Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: 'Maximum number of events per request',
  }),
}

export const ForwarderWrite = Type.Object(
  {
    name: settings.name,
    url: settings.url,
    format: Type.Optional(settings.format),
    service: Type.Optional(Type.Unknown({ description: 'List of services; ["all"] by default' })),
    search_term: Type.Optional(Type.Unknown({ description: 'As in POST /events' })),
    enabled: Type.Optional(settings.enabled),
    batch_size: Type.Optional(settings.batch_size),
    secret: Type.Optional(
      nullable(
        Type.String({
          description:
            'whsec_ followed by 24 to 64 bytes in base64. Create: generated when absent. Change: kept when absent, generated when null; the previous one also signs for a day.',
        }),
      ),
    ),
  },
  { title: 'ForwarderWrite', additionalProperties: false },
)
export type ForwarderWrite = Static<typeof ForwarderWrite>

const forwarder = {
  id: Type.String(),
  ...settings,
  service: Type.Array(Type.String()),
  search_term: nullable(Type.Object({}, { additionalProperties: true })),
  status: Type.Enum([...STATUSES]),
  last_success: nullable(Time),
  last_error: nullable(Type.String()),
  last_error_at: nullable(Time),
  delivered_to: nullable(Time),
  cursor: Cursor,
  lag_seconds: Type.Number({ description: 'Age of the oldest event after the cursor; 0 if none' }),
  next_attempt: nullable(Time),
  created: Time,
  updated: Time,
}
export const Forwarder = Type.Object(forwarder, { title: 'Forwarder' })
export type Forwarder = Static<typeof Forwarder>

/** The only response with a secret: the one that created it. */
export const ForwarderWithSecret = Type.Object(
  { ...forwarder, secret: Type.Optional(Type.String()) },
  { title: 'ForwarderWithSecret' },
)
export type ForwarderWithSecret = Static<typeof ForwarderWithSecret>

export const ForwarderList = Type.Object(
  { results: Type.Array(Forwarder), totalCount: Type.Integer() },
  { title: 'ForwarderList' },
)

export const Replay = Type.Object(
  {
    from: Type.Unknown({
      description:
        'A time (RFC 3339, inclusive), or [milliseconds, id] to continue after that event',
    }),
  },
  { title: 'ForwarderReplay', additionalProperties: false },
)

const outcome = {
  http_status: nullable(Type.Integer()),
  duration_ms: Type.Integer(),
  error: nullable(Type.String()),
}
export const TestResult = Type.Object(
  { delivered: Type.Boolean(), webhook_id: Type.String(), ...outcome },
  { title: 'ForwarderTest' },
)
export type TestResult = Static<typeof TestResult>

export const Delivery = Type.Object(
  {
    time: Time,
    webhook_id: Type.String(),
    count: Type.Integer({ description: 'Events in the request' }),
    ...outcome,
    cursor: Cursor,
  },
  { title: 'ForwarderDelivery' },
)
export type Delivery = Static<typeof Delivery>
export const DeliveryList = Type.Object(
  { results: Type.Array(Delivery), totalCount: Type.Integer() },
  { title: 'ForwarderDeliveryList' },
)
