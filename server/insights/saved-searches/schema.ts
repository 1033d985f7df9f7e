import { type Static, Type } from 'typebox'

/** Read like the body of a query (see saved-search.ts), so that what is saved can be run. */
const Query = Type.Object(
  {
    service: Type.Optional(Type.Unknown({ description: 'List of services, or ["all"]; required' })),
    search_term: Type.Optional(Type.Unknown({ description: '{"and": […]} or {"or": […]}' })),
    fields: Type.Optional(Type.Unknown({ description: 'List of fields to return, with dots' })),
    sort: Type.Optional(Type.Unknown({ description: 'ASC or DESC' })),
    range: Type.Optional(
      Type.Unknown({ description: 'The time before now, such as PT24H or P7D (ISO 8601)' }),
    ),
    start_time: Type.Optional(Type.Unknown({ description: 'RFC 3339; instead of range' })),
    end_time: Type.Optional(Type.Unknown({ description: 'RFC 3339; with start_time only' })),
  },
  { title: 'SavedQuery', additionalProperties: true },
)

const members = {
  name: Type.String({ minLength: 1, maxLength: 256, pattern: '\\S', description: 'One per owner' }),
  description: Type.String({ maxLength: 2000 }),
  shared: Type.Boolean({ description: 'All administrators of the organization see it' }),
  columns: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
    maxItems: 200,
    description: 'What a table of the events shows; empty: its own choice',
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
      description: 'The administrator; null when there is none any more',
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
