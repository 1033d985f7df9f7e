import { UnstyledButton } from '@mantine/core'
import { useHotkeys, useMediaQuery } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type Dispatch,
  memo,
  type SetStateAction,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Check } from '../../ui/check.tsx'
import { RowLink, useAddressOf, useGo } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import { type Density, useDensity } from './density.ts'
import { EDIT } from './edit-key.ts'
import classes from './list.module.css'
import type { Column, ListDeclaration } from './list-declaration.ts'
import type { ListState } from './list-state.ts'
import { placeRows } from './place-rows.ts'
import { useFurtherRows, type useRows } from './use-rows.ts'

const ROW_HEIGHT: Record<Density, number> = { comfortable: 46, compact: 34 }
/** Shown while the first page is on its way. */
const SKELETON_ROWS = 12
/** Below it there is no room for all columns that are shown unless chosen otherwise. */
const NARROW = '(max-width: 79.99em)'
const MAX_NARROW_COLUMNS = 4

interface Props<T> {
  list: ListDeclaration<T>
  state: ListState
  rows: ReturnType<typeof useRows<T>>
  selected: ReadonlySet<string>
  select: Dispatch<SetStateAction<ReadonlySet<string>>>
}

function PlainHeading<T>({ column, state }: { column: Column<T>; state: ListState }) {
  const { sort, label } = column
  if (!sort) return <th scope="col">{label}</th>
  const rising = state.sort === sort
  const falling = state.sort === `-${sort}`
  const Arrow = falling ? IconArrowDown : IconArrowUp
  return (
    <th scope="col" aria-sort={rising ? 'ascending' : falling ? 'descending' : 'none'}>
      <UnstyledButton
        className={classes.sort}
        data-active={rising || falling || undefined}
        onClick={() => state.set({ sort: rising ? `-${sort}` : sort })}
      >
        {label}
        <Arrow size={14} aria-hidden />
      </UnstyledButton>
    </th>
  )
}

/** Scrolling leaves them as they are. */
const Heading = memo(PlainHeading) as typeof PlainHeading

interface RowProps<T> {
  list: ListDeclaration<T>
  columns: Column<T>[]
  /** Address of the list. */
  address: string
  index: number
  /** Absent until its page is there. */
  row: T | undefined
  selected: boolean
  active: boolean
  toggle: (id: string) => void
}

function PlainRow<T>(props: RowProps<T>) {
  const { list, columns, address, index, row, selected, active, toggle } = props
  const { id: organization } = useOrganization()
  const id = row && list.idOf(row)
  return (
    <tr
      aria-rowindex={index + 2}
      data-selected={selected || undefined}
      data-active={active || undefined}
      className={classes.row}
      onMouseEnter={() => row && list.ahead?.(organization, row)}
    >
      <td className={classes.check}>
        {id && <Check label="Select this row" checked={selected} onChange={() => toggle(id)} />}
      </td>
      {columns.map((column, at) => (
        <td key={column.id} className={classes.cell}>
          {row === undefined ? (
            <span className={classes.waiting} />
          ) : at === 0 ? (
            <RowLink href={`${address}/${id}`} className={classes.name}>
              {column.cell(row)}
            </RowLink>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}

/** Scrolling draws the rows that come into view, not all of them again. */
const Row = memo(PlainRow) as typeof PlainRow

/** Virtualized: only rows in view are in the document, and only their pages are fetched. */
export function Rows<T>({ list, state, rows, selected, select }: Props<T>) {
  const go = useGo()
  const address = useAddressOf()(list.path)
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState<number | null>(null)
  const [active, setActive] = useState(-1)
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), [])
  const [density] = useDensity()
  const height = ROW_HEIGHT[density]
  const { data, isPlaceholderData } = rows.first
  const count = data?.total ?? SKELETON_ROWS
  const virtual = useWindowVirtualizer({
    // It lists the places of all rows, which change with their top.
    count: top === null ? 0 : count,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: top ?? 0,
  })
  // Heights are remembered.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when they change
  useLayoutEffect(() => virtual.measure(), [height])
  const items = virtual.getVirtualItems()
  const rowAt = useFurtherRows(list, rows, items[0]?.index ?? 0, items.at(-1)?.index ?? 0)
  const ids = state.columns.join(',')
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false })
  const columns = useMemo(() => {
    const chosen = list.columns.filter(({ id }) => ids.split(',').includes(id))
    return [list.first, ...chosen].slice(0, narrow ? MAX_NARROW_COLUMNS : undefined)
  }, [list, ids, narrow])
  const tracks = ['2.75rem', ...columns.map(({ width }) => width)].join(' ')

  const toggle = useCallback(
    (id: string) =>
      select((before) => {
        const next = new Set(before)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [select],
  )
  const move = (by: number) => {
    const next = Math.max(0, Math.min(count - 1, active + by))
    setActive(next)
    virtual.scrollToIndex(next)
  }
  const withActive = (act: (id: string) => void) => () => {
    const row = rowAt(active)
    if (row) act(list.idOf(row))
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['x', withActive(toggle)],
    ['Enter', withActive((id) => void go(`${list.path}/${id}`))],
    ['e', withActive((id) => void go(`${list.path}/${id}`, { search: EDIT }))],
  ])
  const loaded = data?.rows ?? []
  const all = loaded.length > 0 && loaded.every((row) => selected.has(list.idOf(row)))
  return (
    <table
      aria-label={list.title}
      aria-rowcount={count + 1}
      aria-busy={isPlaceholderData || !data}
      className={classes.table}
      style={{ '--tracks': tracks, '--row-height': `${height}px` } as CSSProperties}
      data-stale={isPlaceholderData || undefined}
    >
      <thead className={classes.head}>
        <tr className={classes.row} aria-rowindex={1}>
          <td className={classes.check}>
            <Check
              label={`Select the first ${loaded.length}`}
              checked={all}
              indeterminate={!all && selected.size > 0}
              onChange={() => select(new Set(all ? [] : loaded.map(list.idOf)))}
            />
          </td>
          {columns.map((column) => (
            <Heading key={column.id} column={column} state={state} />
          ))}
        </tr>
      </thead>
      <tbody ref={body} className={classes.body} style={placeRows(virtual)}>
        {items.map(({ index }) => {
          const row = data && rowAt(index)
          return (
            <Row
              key={index}
              list={list}
              columns={columns}
              address={address}
              index={index}
              row={row}
              selected={row !== undefined && selected.has(list.idOf(row))}
              active={index === active}
              toggle={toggle}
            />
          )
        })}
      </tbody>
    </table>
  )
}
