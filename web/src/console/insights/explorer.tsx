import { Button, Center, Group, Skeleton, Stack, Switch, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { lazy, type ReactNode, Suspense, useDeferredValue, useMemo } from 'react'
import { Problem } from '../../ui/problem.tsx'
import { useOrganization } from '../organization.ts'
import { keyOf } from '../resource/event.ts'
import { EventPanel } from './event-panel.tsx'
import { EventsTable } from './events-table.tsx'
import classes from './explorer.module.css'
import { type ExplorerState, useExplorer } from './explorer-state.ts'
import { ExportMenu } from './export-menu.tsx'
import { FieldList } from './field-list.tsx'
import { searchableFields } from './fields.ts'
import { useLiveTail } from './live.ts'
import { useBars, useEvents, useSchema } from './reads.ts'
import { SearchesMenu } from './searches-menu.tsx'
import { ServicesMenu } from './services-menu.tsx'
import { TimePicker } from './time-picker.tsx'

/** The charts and the editor are larger than the rest of the page, which shows its rows without them. */
const QueryBar = lazy(async () => ({ default: (await import('./query-bar.tsx')).QueryBar }))
const Histogram = lazy(async () => ({ default: (await import('./histogram.tsx')).Histogram }))

/** Drawn once the rows are on the screen: together these take longer than they do. */
function AfterRows({ height, children }: { height: number | string; children: ReactNode }) {
  const drawn = useDeferredValue(true, false)
  const empty = <Skeleton h={height} />
  return drawn ? <Suspense fallback={empty}>{children}</Suspense> : empty
}

function Chart({ state }: { state: ExplorerState }) {
  // Held from the beginning: the chart comes too late for the answers of the search that was left. It reads new ones.
  const { bars } = useBars(state, false)
  return (
    <AfterRows height={172}>
      <Histogram state={state} known={bars.data} />
    </AfterRows>
  )
}

const LONGEST = 'P90D'

function Empty({ state }: { state: ExplorerState }) {
  const longest = 'last' in state.range && state.range.last === LONGEST
  return (
    <Center className={classes.empty}>
      <Stack align="center" gap="sm">
        <Text fw={600}>No event matches in this time</Text>
        <Group>
          {!longest && (
            <Button size="sm" variant="default" onClick={() => state.setRange({ last: LONGEST })}>
              Search the last 90 days
            </Button>
          )}
          {state.query && (
            <Button size="sm" variant="default" onClick={() => state.setQuery('')}>
              Clear the query
            </Button>
          )}
        </Group>
      </Stack>
    </Center>
  )
}

function Results({ state }: { state: ExplorerState }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useEvents(state)
  const read = useMemo(() => data?.pages.flatMap(({ events }) => events), [data])
  const tail = useLiveTail(state.live, state.selection, read && (read[0] ?? null))
  const events = useMemo(() => read && [...tail.events, ...read], [read, tail.events])
  if (error) return <Problem error={error} />
  return (
    <>
      {state.live && (
        <Text size="sm" c="dimmed" role="status" mb={4}>
          {tail.connected
            ? `Live · ${tail.events.length} new`
            : 'Connecting to the stream of events …'}
        </Text>
      )}
      <div className={classes.results} data-open={state.event !== undefined || undefined}>
        {events?.length === 0 ? (
          <Empty state={state} />
        ) : (
          <EventsTable
            state={state}
            events={events}
            more={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
          />
        )}
        {state.event && (
          <EventPanel
            state={state}
            id={state.event}
            known={events?.find((event) => keyOf(event) === state.event)}
          />
        )}
      </div>
    </>
  )
}

/** Search over the events of the organization. */
export function Explorer() {
  const state = useExplorer()
  const { name } = useOrganization()
  const schema = useSchema()
  const fields = useMemo(() => searchableFields(schema, state.service), [schema, state.service])
  useDocumentTitle(`Insights · ${name} · Gatehouse`)
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Title order={1}>Insights</Title>
        <Group gap="xs">
          <Switch
            label="Live"
            checked={state.live}
            onChange={(event) => state.set({ live: event.currentTarget.checked ? '1' : '' }, true)}
          />
          <SearchesMenu state={state} />
          <ServicesMenu state={state} {...(schema && { schema })} />
          <ExportMenu state={state} />
          <TimePicker state={state} />
        </Group>
      </Group>
      <AfterRows height={36}>
        <QueryBar state={state} fields={fields} schema={schema} />
      </AfterRows>
      <div className={classes.explorer}>
        <AfterRows height="14rem">
          <FieldList state={state} fields={fields} />
        </AfterRows>
        <div className={classes.main}>
          {state.error === null && (
            <>
              <Chart state={state} />
              <Results state={state} />
            </>
          )}
        </div>
      </div>
    </>
  )
}
