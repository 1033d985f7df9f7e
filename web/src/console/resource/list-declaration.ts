import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { ListQuery } from '../../api/list.ts'
import type { Api, Page } from '../../api/organization.ts'
import type { Search } from '../link.tsx'
import type { NewWork } from '../tray/work.ts'

export interface Column<T> {
  id: string
  label: string
  /** A track of a CSS grid, such as `minmax(8rem, 1fr)`. */
  width: string
  /** The field of the API to sort by. */
  sort?: string
  /** Not shown until chosen. */
  hidden?: boolean
  cell: (row: T) => ReactNode
}

export interface Filter {
  /** In the address. */
  id: string
  label: string
  /** Of the API. */
  field: string
  /** The values are numbers of days: times before then, counted from now. */
  inDays?: boolean
  /** Without them, any text. */
  options?: { value: string; label: string }[]
}

/** What the form of a bulk action gets. */
export interface BulkForm {
  ids: string[]
  start: (work: NewWork) => void
  close: () => void
}

/** One of `run` (a short change), `work` (long, for the tray) and `form` (asks first). */
export interface BulkAction {
  label: string
  Icon: Icon
  danger?: boolean
  /** Changes nothing, so that reading suffices. */
  reads?: boolean
  /** If another than that of the list. */
  scope?: string
  run?: (api: Api, ids: string[]) => Promise<unknown>
  /** Words for the notice. */
  done?: (count: number) => string
  undo?: (api: Api, ids: string[]) => Promise<unknown>
  work?: (api: Api, ids: string[]) => Promise<NewWork>
  /** Why one should be sure, as nothing takes it back. */
  final?: string
  form?: (bulk: BulkForm) => ReactNode
}

export interface Sibling {
  path: string
  label: string
  /** Read scope, if it is another than that of the list. */
  scope?: string
}

/** Everything a list page is. Areas write one of these; ResourceList does the rest. */
export interface ListDeclaration<T> {
  /** Of the area, in the address and in keys of the cache. */
  path: string
  title: string
  one: string
  many: string
  /** Scope of the API that changes need. */
  scope: string
  Icon: Icon
  load: (api: Api, query: ListQuery) => Promise<Page<T>>
  idOf: (row: T) => string
  /** The first column, which links to the object. */
  first: Column<T>
  columns: Column<T>[]
  filters: Filter[]
  defaultSort: string
  views?: { label: string; search: Search }[]
  bulk?: BulkAction[]
  /** Fetched when the pointer rests on a row. */
  ahead?: (organization: string, row: T) => void
  /** What would be here, for an empty list. */
  empty: string
  /** Shown together, with tabs between them; this list is one of them. */
  siblings?: Sibling[]
  /** Beside the button that creates one. */
  aside?: () => ReactNode
  /** A dialog, or a page of its own. */
  create?: { label: string } & ({ form: (close: () => void) => ReactNode } | { to: string })
}

/** For parts that do not look at the rows. */
export type AnyList = Omit<ListDeclaration<never>, 'load'>
