import { useQueries } from '@tanstack/react-query'
import { useOrganization } from '../organization.ts'
import { readOptions, useRead } from '../reads.ts'
import type { ListDeclaration } from './list-declaration.ts'
import type { ListState } from './list-state.ts'

const PAGE = 100

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

/** The further pages that `positions` lie on. */
export function useFurtherRows<T>(
  list: ListDeclaration<T>,
  { first, keyOfPage, query, organization }: ReturnType<typeof useRows<T>>,
  positions: number[],
) {
  const pages = [...new Set(positions.map((at) => Math.floor(at / PAGE)))].filter((at) => at > 0)
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
    const page = Math.floor(position / PAGE)
    const loaded = page === 0 ? first.data : further[pages.indexOf(page)]?.data
    return loaded?.rows[position % PAGE]
  }
}
