import { Skeleton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, memo, useCallback, useEffect, useMemo, useRef } from 'react'
import { timeFormat } from '../../ui/time.ts'
import { RowLink, useAddressOf } from '../link.tsx'
import { type Event, keyOf } from '../resource/event.ts'
import list from '../resource/list.module.css'
import { placeRows } from '../resource/place-rows.ts'
import { columnLabel, columnWidth, EventCell } from './event-cell.tsx'
import classes from './explorer.module.css'
import type { ExplorerState } from './explorer-state.ts'

const ROW_HEIGHT = 34
const SKELETON_ROWS = 12
const MAX_BESIDE = 2
/** So many rows before the end, the next ones are fetched. */
const AHEAD = 200

const exact = timeFormat({
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

interface Props {
  state: ExplorerState
  /** Absent while the first page is on its way. */
  events: Event[] | undefined
  more: (() => void) | undefined
}

interface RowProps {
  index: number
  /** Absent until its page is there. */
  event: Event | undefined
  columns: string[]
  /** Address of the search, to which that of an event is added. */
  address: string
  open: boolean
}

/** Scrolling draws the rows that come into view, not all of them again. */
const Row = memo(({ index, event, columns, address, open }: RowProps) => (
  <tr aria-rowindex={index + 2} className={classes.row} data-open={open || undefined}>
    {event ? (
      <>
        <td className={list.cell}>
          <RowLink href={`${address}${encodeURIComponent(keyOf(event))}`} className={classes.open}>
            {exact.format(new Date(event.timestamp))}
          </RowLink>
        </td>
        {columns.map((column) => (
          <td key={column} className={list.cell}>
            <EventCell event={event} column={column} />
          </td>
        ))}
      </>
    ) : (
      <td className={list.cell}>
        <Skeleton h={12} />
      </td>
    )}
  </tr>
))

/** Virtualized, and read further as its end comes into view. */
export function EventsTable({ state, events, more }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const count = events ? events.length + (more ? 1 : 0) : SKELETON_ROWS
  // A new function would make it measure all rows anew.
  const keyAt = useCallback(
    (index: number) => (events?.[index] ? keyOf(events[index]) : index),
    [events],
  )
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    getItemKey: keyAt,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (events && last >= events.length - AHEAD) more?.()
  }, [events, last, more])

  const at = events?.findIndex((event) => keyOf(event) === state.event) ?? -1
  const open = (index: number) => {
    const event = events?.[index]
    if (!event) return
    state.set({ event: keyOf(event) }, true)
    virtual.scrollToIndex(index)
  }
  useHotkeys([
    ['j', () => open(at + 1)],
    ['k', () => open(Math.max(0, at - 1))],
    ['Escape', () => state.set({ event: undefined }, true)],
  ])
  // Beside an event there is room for the first ones.
  const shown = (state.event ? state.columns.slice(0, MAX_BESIDE) : state.columns).join(',')
  const columns = useMemo(() => shown.split(','), [shown])
  // The event is the last one, so that each row can add its own.
  const address = useAddressOf()('insights', {
    ...state.addressWith({ event: undefined }),
    event: '',
  })
  const tracks = ['9rem', ...columns.map(columnWidth)].join(' ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
    <section ref={box} className={classes.scroll} tabIndex={0} aria-label="Events">
      <table
        className={classes.table}
        style={{ '--tracks': tracks, '--row-height': `${ROW_HEIGHT}px` } as CSSProperties}
        aria-rowcount={count + 1}
        aria-busy={!events}
      >
        <thead className={classes.head}>
          <tr className={classes.row} aria-rowindex={1}>
            <th scope="col">Time</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {columnLabel(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={classes.body} style={placeRows(virtual)}>
          {items.map(({ index, key }) => {
            const event = events?.[index]
            return (
              <Row
                key={key}
                index={index}
                event={event}
                columns={columns}
                address={address}
                open={event !== undefined && keyOf(event) === state.event}
              />
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
