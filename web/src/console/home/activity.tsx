import '@mantine/charts/styles.layer.css'
import { BarChart } from '@mantine/charts'
import { Group, Paper, SimpleGrid, Skeleton, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { axisNumber, number } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { timeFormat } from '../../ui/time.ts'
import { printValue } from '../insights/query/text.ts'
import { SIGN_IN_QUERY } from '../insights/sign-ins.ts'
import { type Search, To } from '../link.tsx'
import classes from './home.module.css'
import { type ChartData, useActivity } from './reads.ts'

const HEIGHT = 180
const COLOURS = ['indigo.5', 'teal.6', 'orange.6', 'grape.5']
const OUTCOMES = ['teal.6', 'red.6']

const clock = timeFormat({
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const day = timeFormat({ month: 'short', day: 'numeric' })
const exact = timeFormat({ dateStyle: 'medium', timeStyle: 'short' })

interface CardProps {
  title: string
  /** The view of Insights behind it. */
  search: Search
  children: ReactNode
}

const Card = ({ title, search, children }: CardProps) => (
  <Paper withBorder bg="var(--gh-surface)" p="md" component="section">
    <Group justify="space-between" mb="sm" gap="xs" wrap="nowrap">
      <Title order={3} size="h5">
        {title}
      </Title>
      <Text size="sm" component={To} to="insights" search={search} className={classes.behind}>
        Show events
      </Text>
    </Group>
    {children}
  </Paper>
)

const Placeholder = () => <Skeleton h={HEIGHT} />

interface ChartProps {
  data: ChartData
  tick: Intl.DateTimeFormat
  colours: string[]
}

function Chart({ data, tick, colours }: ChartProps) {
  const total = (name: string) =>
    data.rows.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)
  if (data.rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing happened.
      </Text>
    )
  return (
    <>
      <div aria-hidden>
        <BarChart
          h={HEIGHT}
          data={data.rows}
          dataKey="time"
          type="stacked"
          series={data.names.map((name, at) => ({
            name: `counts.${name}`,
            label: name,
            color: colours[at]!,
          }))}
          tickLine="none"
          tooltipAnimationDuration={0}
          xAxisProps={{
            tickFormatter: (time: number) => tick.format(time),
            minTickGap: 40,
          }}
          yAxisProps={{ width: 40, allowDecimals: false, tickFormatter: axisNumber }}
          tooltipProps={{
            labelFormatter: (time) => (Number.isFinite(time) ? exact.format(time as number) : ''),
          }}
          valueFormatter={(value) => number.format(value)}
          barProps={{ isAnimationActive: false }}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <Text size="sm" c="dimmed" mt={4}>
        {data.names.map((name) => `${name} ${number.format(total(name))}`).join(' · ')}
      </Text>
    </>
  )
}

function Reasons({ data }: { data: { key: string; doc_count: number }[] }) {
  if (data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No sign-in was denied.
      </Text>
    )
  return (
    <ul className={classes.reasons}>
      {data.map(({ key, doc_count }) => (
        <li key={key}>
          <To
            to="insights"
            search={{
              q: `${SIGN_IN_QUERY} and error_message = ${printValue(key)}`,
              last: 'P7D',
            }}
          >
            {key}
          </To>
          <span>{number.format(doc_count)}</span>
        </li>
      ))}
    </ul>
  )
}

export function Activity() {
  const { data, error } = useActivity()
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        Activity
      </Title>
      <Problem error={error} />
      <SimpleGrid cols={{ base: 1, md: 2, lg: 3 }} spacing="md">
        <Card title="Events, last 24 hours" search={{ field: 'service' }}>
          {data ? <Chart data={data.events} tick={clock} colours={COLOURS} /> : <Placeholder />}
        </Card>
        <Card
          title="Sign-ins, last 7 days"
          search={{ q: SIGN_IN_QUERY, last: 'P7D', field: 'success' }}
        >
          {data ? <Chart data={data.signIns} tick={day} colours={OUTCOMES} /> : <Placeholder />}
        </Card>
        <Card
          title="Denied sign-ins, last 7 days"
          search={{
            q: `${SIGN_IN_QUERY} and success = false`,
            last: 'P7D',
            field: 'error_message',
          }}
        >
          {data ? <Reasons data={data.deniedReasons} /> : <Placeholder />}
        </Card>
      </SimpleGrid>
    </section>
  )
}
