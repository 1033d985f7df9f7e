/** One page of a list, as asked for by a `ResourceList`. */
export interface ListQuery {
  limit: number
  skip: number
  /** A field; a leading `-` sorts descending. */
  sort?: string | undefined
  search?: string | undefined
  filters: ListFilter[]
}

interface ListFilter {
  field: string
  value: string
  /** The value is a number of days: times before then, counted from now. */
  inDays?: boolean
}

const DAY_MS = 86_400_000

const comparison = ({ field, value, inDays }: ListFilter, prefix = ''): string =>
  inDays
    ? `${field}:${prefix}lt:${new Date(Date.now() + Number(value) * DAY_MS).toISOString()}`
    : `${field}:${prefix}eq:${value}`

const common = ({ limit, skip, search }: ListQuery) => ({ limit, skip, ...(search && { search }) })

export const paramsV1 = (query: ListQuery) => ({
  ...common(query),
  ...(query.sort && { sort: query.sort }),
  ...(query.filters.length > 0 && {
    filter: query.filters.map((filter) => comparison(filter, '$')),
  }),
})

export const paramsV2 = (query: ListQuery) => ({
  ...common(query),
  ...(query.sort && { sort: [query.sort] }),
  ...(query.filters.length > 0 && {
    filter: query.filters.map((filter) => comparison(filter)),
  }),
})
