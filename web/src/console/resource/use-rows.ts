import { useQueries } from '@tanstack/react-query'
import { useOrganization } from '../organization.ts'
import { readOptions, useRead } from '../reads.ts'
import type { ListDeclaration } from './list-declaration.ts'
import type { ListState } from './list-state.ts'

export const PAGE = 100
/** Rows that are there when they come into view are drawn once, and a few at a time. */
const AHEAD = 50

const pageOf = (position: number) => Math.floor(position / PAGE)

/** Rows by their position. Pages are fetched as they come into view. */
export function useRows<T>(list: ListDeclaration<T>, state: ListState) {
  const { id } = useOrganization()
  const query = {
    sort: state.sort,
    search: state.search,
    filters: state.filters.map(({ filter: { field, inDays = false }, value }) => ({
      field,
      value,
      inDays,
    })),
  }
  const keyOfPage = (page: number) => [list.path, 'list', query, page]
  const first = useRead(keyOfPage(0), (api) => list.load(api, { ...query, limit: PAGE, skip: 0 }), {
    placeholderData: (previous) => previous,
  })
  return { first, keyOfPage, query, organization: id }
}

/** The further pages that the rows from `start` to `end` lie on, and those that scrolling comes to next. */
export function useFurtherRows<T>(
  list: ListDeclaration<T>,
  { first, keyOfPage, query, organization }: ReturnType<typeof useRows<T>>,
  start: number,
  end: number,
) {
  const last = Math.min(end + AHEAD, (first.data?.total ?? 0) - 1)
  const pages: number[] = []
  for (let page = Math.max(1, pageOf(start - AHEAD)); page <= pageOf(last); page++) pages.push(page)
  const further = useQueries({
    queries: first.isPlaceholderData
      ? []
      : pages.map((page) =>
          readOptions(organization, keyOfPage(page), (api) =>
            list.load(api, { ...query, limit: PAGE, skip: page * PAGE }),
          ),
        ),
  })
  return (position: number): T | undefined => {
    const page = pageOf(position)
    const loaded = page === 0 ? first.data : further[pages.indexOf(page)]?.data
    return loaded?.rows[position % PAGE]
  }
}
