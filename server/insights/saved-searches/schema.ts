import { type Static, Type } from 'typebox'

/** Validated like the body of a query (see saved-search.ts), so that a saved search can run. */
const Query = Type.Object(
  {
    service: Type.Optional(Type.Unknown({ description: 'List of services, or ["all"]; required' })),
    search_term: Type.Optional(Type.Unknown({ description: '{"and": […]} or {"or": […]}' })),
    fields: Type.Optional(
      Type.Unknown({ description: 'List of fields to return, as dotted names' }),
    ),
    sort: Type.Optional(Type.Unknown({ description: 'ASC or DESC' })),
    range: Type.Optional(
      Type.Unknown({ description: 'Duration before now, such as PT24H or P7D (ISO 8601)' }),
    ),
    start_time: Type.Optional(Type.Unknown({ description: 'RFC 3339; instead of range' })),
    end_time: Type.Optional(Type.Unknown({ description: 'RFC 3339; only with start_time' })),
  },
  { title: 'SavedQuery', additionalProperties: true },
)

const members = {
  name: Type.String({
    minLength: 1,
    maxLength: 256,
    pattern: '\\S',
    description: 'Unique per owner',
  }),
  description: Type.String({ maxLength: 2000 }),
  shared: Type.Boolean({ description: 'Visible to all administrators of the organization' }),
  columns: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
    maxItems: 200,
    description: 'Columns of a table of the events; empty for its default',
  }),
}

export const SavedSearchWrite = Type.Object(
  {
    name: members.name,
    description: Type.Optional(members.description),
    shared: Type.Optional(members.shared),
    query: Query,
    columns: Type.Optional(members.columns),
  },
  { title: 'SavedSearchWrite', additionalProperties: true },
)
export type SavedSearchWrite = Static<typeof SavedSearchWrite>

export const SavedSearch = Type.Object(
  {
    id: Type.String(),
    owner: Type.Union([Type.String(), Type.Null()], {
      description: 'The administrator; null if deleted',
    }),
    ...members,
    query: Query,
    created: Type.String({ format: 'date-time' }),
    updated: Type.String({ format: 'date-time' }),
  },
  { title: 'SavedSearch' },
)
export type SavedSearch = Static<typeof SavedSearch>

export const SavedSearchList = Type.Object(
  { results: Type.Array(SavedSearch), totalCount: Type.Integer() },
  { title: 'SavedSearchList' },
)
