import { type Search, useAddress, useGo } from '../link.tsx'
import type { AnyList, Filter } from './list-declaration.ts'

interface ActiveFilter {
  filter: Filter
  value: string
}

/** What the list shows is in the address, so that reload, back and a sent link show the same. */
export function useListState(list: AnyList) {
  const address = useAddress()
  const go = useGo()
  const set = (changes: Record<string, string | undefined>) => {
    const next = { ...address, ...changes }
    const search = Object.fromEntries(
      Object.entries(next).filter(([, value]) => value !== undefined && value !== ''),
    ) as Search
    void go(list.path, { search, replace: true })
  }
  const filters: ActiveFilter[] = list.filters.flatMap((filter) => {
    const value = address[filter.id]
    return value === undefined ? [] : [{ filter, value }]
  })
  const shown = address.columns?.split(',')
  const columns = list.columns
    .filter(({ id, hidden }) => (shown ? shown.includes(id) : !hidden))
    .map(({ id }) => id)
  const { new: _, q, ...view } = address
  return {
    search: q ?? '',
    sort: address.sort ?? list.defaultSort,
    filters,
    /** Ids of those shown. */
    columns,
    creating: address.new !== undefined,
    /** What a saved view keeps: not what is typed, nor an open dialog. */
    view,
    set,
    show: (search: Search) => void go(list.path, { search }),
  }
}

export type ListState = ReturnType<typeof useListState>
