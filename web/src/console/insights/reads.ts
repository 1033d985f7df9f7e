import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Api, dataOf } from '../../api/organization.ts'
import { useOrganization } from '../organization.ts'
import { readOptions, useRead, useReadPages } from '../reads.ts'
import { type Event, keyOf } from '../resource/event.ts'
import { type ExplorerState, type Selection, selectionOf } from './explorer-state.ts'
import { filled, type Span, stepOf, zoneAt } from './time-range.ts'

const PAGE = 500
const MAX_RETENTION_MS = 366 * 86_400_000

interface EventPage {
  events: Event[]
  next: unknown[] | null
}

async function readEvents(
  api: Api,
  selection: Selection,
  search_after: unknown[] | null,
): Promise<EventPage> {
  const { data, response } = await api.insights.POST('/v1/events', {
    body: { ...selection, sort: 'DESC', limit: PAGE, ...(search_after && { search_after }) },
  })
  const events = (data ?? []) as unknown as Event[]
  const cursor = response.headers.get('x-search_after')
  return { events, next: events.length === PAGE && cursor ? JSON.parse(cursor) : null }
}

export const useEvents = ({ search, selection, error }: ExplorerState) =>
  useReadPages(
    ['insights', 'events', search, selection],
    (api, after: unknown[] | null) => readEvents(api, selection, after),
    ({ next }) => next,
    {
      enabled: error === null,
      // The same search at an earlier moment.
      placeholderData: (previous, query) =>
        query?.queryKey.includes(search) ? previous : undefined,
    },
  )

/** An event that a link opens, wherever it lies. */
export const useEvent = (key: string, known: Event | undefined) =>
  useRead(
    ['insights', 'event', key],
    async (api) => {
      const [time, connection_id] = key.split(' ')
      const body = connection_id
        ? { start_time: time!, end_time: time!, search_term: { and: [{ connection_id }] } }
        : {
            start_time: new Date(Date.now() - MAX_RETENTION_MS).toISOString(),
            search_term: { and: [{ id: key }] },
          }
      const events = dataOf(
        await api.insights.POST('/v1/events', { body: { service: ['all'], ...body } }),
      ) as unknown as Event[]
      return events.find((event) => keyOf(event) === key) ?? null
    },
    { enabled: known === undefined },
  )

async function readBars(api: Api, span: Span, selection: Selection) {
  const step = stepOf(span)
  const { buckets } = dataOf(
    await api.insights.POST('/v1/events/interval', {
      body: {
        ...selection,
        interval_unit: step.unit,
        interval_value: step.value,
        timezone: zoneAt(span.to),
      },
    }),
  )
  return filled(buckets, span, step)
}

export type Bars = Awaited<ReturnType<typeof readBars>>

/** Events per step, and those of the period before as long as the shown one. */
export function useBars(state: ExplorerState, wanted = true) {
  const { span, service, selection, compare, error } = state
  const before = useMemo(() => ({ from: span.from - (span.to - span.from), to: span.from }), [span])
  const enabled = wanted && error === null
  const bars = useRead(['insights', 'bars', selection], (api) => readBars(api, span, selection), {
    placeholderData: (previous) => previous,
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  })
  const past = useRead(
    ['insights', 'bars before', selection],
    (api) => readBars(api, before, selectionOf(before, service, selection.search_term)),
    { enabled: enabled && compare },
  )
  return { bars, past }
}

interface TopValue {
  key: string
  count: number
}

const readValues = (field: string, selection: Selection) => async (api: Api) => {
  const { buckets } = dataOf(
    await api.insights.POST('/v1/events/distinct', { body: { ...selection, field } }),
  )
  return buckets.map(({ key, doc_count }): TopValue => ({ key, count: doc_count }))
}

export const useTopValues = (field: string, selection: Selection) =>
  useRead(['insights', 'values', field, selection], readValues(field, selection), {
    placeholderData: (previous) => previous,
  })

/** For completion: the values in the shown time, whatever else the query says. */
export function useValuesOf({ span, service }: ExplorerState) {
  const queries = useQueryClient()
  const { id } = useOrganization()
  return (field: string) => {
    const selection = selectionOf(span, service, undefined)
    return queries.fetchQuery(
      readOptions(id, ['insights', 'values', field, selection], readValues(field, selection)),
    )
  }
}

const readSchema = async (api: Api) => dataOf(await api.insights.GET('/v1/schema'))
export type Schema = Awaited<ReturnType<typeof readSchema>>

export const useSchema = () => useRead(['insights', 'schema'], readSchema).data
