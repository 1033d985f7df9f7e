import { type Static, Type } from 'typebox'

// The search budget (search-budget.ts), in units: the cost of comparing an event with one value.

/** Substring operators scan texts, others compare; a list of values is a lookup. */
export const TEXT_SEARCH_UNITS = 20
export const LISTED_VALUE_UNITS = 0.1

const BUDGET = `At most 10000 terms, 50000 values, 32 levels and 10000 units in total, unless the operator has set other limits: contains, startsWith and endsWith count ${TEXT_SEARCH_UNITS}, a value in a list ${LISTED_VALUE_UNITS}, any other term 1. Duplicate values and terms in one list count once.`

/** Parsed leniently (see event-query.ts): real clients send more members, and some in other forms. */
const selection = {
  service: Type.Optional(Type.Unknown({ description: 'List of services, or ["all"]; required' })),
  start_time: Type.Optional(Type.Unknown({ description: 'RFC 3339, inclusive; required' })),
  end_time: Type.Optional(Type.Unknown({ description: 'RFC 3339, inclusive; now when absent' })),
  search_term: Type.Optional(
    Type.Unknown({ description: `{"and": […]} or {"or": […]}. ${BUDGET}` }),
  ),
}
const open = { additionalProperties: true }

export const EventsRequest = Type.Object(
  {
    ...selection,
    limit: Type.Optional(Type.Unknown({ description: '1000 by default, at most 10000' })),
    sort: Type.Optional(Type.Unknown({ description: 'ASC (default) or DESC' })),
    fields: Type.Optional(
      Type.Unknown({ description: 'List of fields to return, as dotted names' }),
    ),
    search_after: Type.Optional(Type.Unknown({ description: 'Value of X-Search_after' })),
    skip: Type.Optional(Type.Unknown()),
  },
  { title: 'EventsRequest', ...open },
)
export const CountRequest = Type.Object(selection, { title: 'CountRequest', ...open })
export const DistinctRequest = Type.Object(
  { ...selection, field: Type.Optional(Type.Unknown({ description: 'Dotted name; required' })) },
  { title: 'DistinctRequest', ...open },
)
export const IntervalRequest = Type.Object(
  {
    ...selection,
    interval_unit: Type.Optional(Type.Unknown({ description: 's, m, h, d or w; required' })),
    interval_value: Type.Optional(Type.Unknown()),
    timezone: Type.Optional(Type.Unknown({ description: 'Offset such as -0500' })),
  },
  { title: 'IntervalRequest', ...open },
)

export const Events = Type.Array(Type.Object({}, { title: 'Event', ...open }))
export const Count = Type.Object({ count: Type.Integer() }, { title: 'Count' })
const Bucket = Type.Object({ key: Type.String(), doc_count: Type.Integer() })
export const Distinct = Type.Object(
  {
    buckets: Type.Array(Bucket),
    doc_count_error_upper_bound: Type.Integer(),
    sum_other_doc_count: Type.Integer({
      description: 'Events with values beyond the 10000 most frequent',
    }),
  },
  { title: 'Distinct', ...open },
)
export const Intervals = Type.Object(
  {
    buckets: Type.Array(
      Type.Object({ key: Type.Integer(), key_as_string: Type.String(), doc_count: Type.Integer() }),
    ),
  },
  { title: 'Intervals' },
)

const Field = Type.Object({
  name: Type.String(),
  kind: Type.Enum(['string', 'number', 'boolean', 'timestamp', 'object', 'list']),
  searchable: Type.Boolean(),
  free: Type.Optional(Type.Boolean({ description: 'An object that may have unlisted members' })),
})
export const Schemas = Type.Object(
  {
    services: Type.Array(
      Type.Object({
        name: Type.String(),
        free: Type.Boolean({ description: 'Documents may have unlisted fields' }),
        version: Type.Union([Type.Enum(['integer', 'string']), Type.Null()]),
        fields: Type.Array(Field),
      }),
    ),
    operators: Type.Record(Type.String(), Type.Array(Type.String())),
  },
  { title: 'EventSchemas' },
)
export type Schemas = Static<typeof Schemas>
