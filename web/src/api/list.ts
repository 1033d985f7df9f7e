/** One page of a list, as asked for by a `ResourceList`. */
export interface ListQuery {
  limit: number
  skip: number
  /** A field; a leading `-` sorts descending. */
  sort?: string | undefined
  search?: string | undefined
  filters: { field: string; value: string }[]
}

const common = ({ limit, skip, search }: ListQuery) => ({ limit, skip, ...(search && { search }) })

export const paramsV1 = (query: ListQuery) => ({
  ...common(query),
  ...(query.sort && { sort: query.sort }),
  ...(query.filters.length > 0 && {
    filter: query.filters.map(({ field, value }) => `${field}:$eq:${value}`),
  }),
})

export const paramsV2 = (query: ListQuery) => ({
  ...common(query),
  ...(query.sort && { sort: [query.sort] }),
  ...(query.filters.length > 0 && {
    filter: query.filters.map(({ field, value }) => `${field}:eq:${value}`),
  }),
})
