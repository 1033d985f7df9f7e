import '@mantine/charts/styles.layer.css'
import { BarChart } from '@mantine/charts'
import { Group, Skeleton, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { ReferenceArea } from 'recharts'
import { axisNumber, number } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { timeFormat } from '../../ui/time.ts'
import classes from './explorer.module.css'
import type { ExplorerState } from './explorer-state.ts'
import { type Bars, useBars } from './reads.ts'
import { stepOf } from './time-range.ts'

const HEIGHT = 132
const DAY = 86_400_000

const percent = new Intl.NumberFormat('en', { style: 'percent', signDisplay: 'exceptZero' })
const clock = timeFormat({
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const date = timeFormat({ month: 'short', day: 'numeric' })
const exact = timeFormat({ dateStyle: 'medium', timeStyle: 'medium' })

const sum = (bars: { count: number }[]) => bars.reduce((total, { count }) => total + count, 0)

function Summary({ shown, past }: { shown: number; past: number | undefined }) {
  const change =
    past === undefined
      ? ''
      : past === 0
        ? ' · none in the period before'
        : ` · ${percent.format((shown - past) / past)} from ${number.format(past)} in the period before`
  return (
    <Text size="sm" aria-live="polite">
      <Text span fw={650}>
        {number.format(shown)}
      </Text>{' '}
      {shown === 1 ? 'event' : 'events'}
      <Text span c="dimmed">
        {change}
      </Text>
    </Text>
  )
}

interface Pointer {
  activeLabel?: string | number | undefined
}

interface Props {
  state: ExplorerState
  /** Of the same search at an earlier moment. */
  known: Bars | undefined
}

/** Events over time. Dragging over the bars zooms in, a click on one as well. */
export function Histogram({ state, known }: Props) {
  const { bars, past } = useBars(state)
  const shown = bars.data ?? known
  const [drag, setDrag] = useState<{ start: number; end: number } | null>(null)
  const { span } = state
  const step = stepOf(span)
  if (bars.error) return <Problem error={bars.error} />
  if (!shown) return <Skeleton h={HEIGHT + 40} />
  const data = shown.map(({ time, count }, at) => ({
    time,
    Events: count,
    ...(state.compare && { Before: past.data?.[at]?.count ?? 0 }),
  }))
  const timeOf = ({ activeLabel }: Pointer) =>
    activeLabel === undefined ? null : Number(activeLabel)
  const zoom = () => {
    if (!drag) return
    setDrag(null)
    const [from, to] = [drag.start, drag.end].sort((a, b) => a - b) as [number, number]
    state.setRange({
      from: new Date(Math.max(from, span.from)).toISOString(),
      to: new Date(Math.min(to + step.ms, span.to)).toISOString(),
    })
  }
  const tick = (time: number) =>
    (span.to - span.from > 2 * DAY ? date : clock).format(new Date(time))
  return (
    <section aria-label="Events over time">
      <Group justify="space-between" mih={28}>
        <Summary
          shown={sum(shown)}
          past={state.compare && past.data ? sum(past.data) : undefined}
        />
        <Switch
          size="xs"
          labelPosition="left"
          label="Compare with the period before"
          checked={state.compare}
          onChange={(event) => state.set({ compare: event.currentTarget.checked ? '1' : '' }, true)}
        />
      </Group>
      {/* The figures are in the summary and, by field, in the list beside the table. */}
      <div className={classes.chart} aria-hidden>
        <BarChart
          h={HEIGHT}
          data={data}
          dataKey="time"
          series={[
            { name: 'Events', color: 'indigo.5' },
            ...(state.compare ? [{ name: 'Before', color: 'gray.5' }] : []),
          ]}
          gridAxis="x"
          tickLine="none"
          tooltipAnimationDuration={0}
          xAxisProps={{ tickFormatter: tick, minTickGap: 48 }}
          yAxisProps={{ width: 44, allowDecimals: false, tickFormatter: axisNumber }}
          tooltipProps={{
            // Also asked for a label while no bar is pointed at.
            labelFormatter: (time) => (Number.isFinite(time) ? exact.format(time as number) : ''),
          }}
          valueFormatter={(value) => number.format(value)}
          barProps={{ isAnimationActive: false, radius: 2 }}
          barChartProps={{
            barCategoryGap: '12%',
            accessibilityLayer: false,
            onMouseDown: (pointer: Pointer) => {
              const time = timeOf(pointer)
              if (time !== null) setDrag({ start: time, end: time })
            },
            onMouseMove: (pointer: Pointer) => {
              const time = timeOf(pointer)
              if (time !== null) setDrag((now) => now && { ...now, end: time })
            },
            onMouseUp: zoom,
            onMouseLeave: () => setDrag(null),
          }}
        >
          {drag && (
            <ReferenceArea
              x1={Math.min(drag.start, drag.end)}
              x2={Math.max(drag.start, drag.end)}
              fill="var(--mantine-color-indigo-5)"
              fillOpacity={0.2}
            />
          )}
        </BarChart>
      </div>
    </section>
  )
}
