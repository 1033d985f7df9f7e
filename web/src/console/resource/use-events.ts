import type { QueryKey } from '@tanstack/react-query'
import { dataOf } from '../../api/organization.ts'
import { useRead } from '../reads.ts'
import type { Event } from './event.ts'

export const EVENT_DAYS = 90
const MAX_EVENTS = 200

/** The events that a search term finds, newest first. */
export const useEvents = (key: QueryKey, search_term: Record<string, unknown>) =>
  useRead(key, async (api) => {
    const start = new Date(Date.now() - EVENT_DAYS * 86_400_000)
    return dataOf(
      await api.insights.POST('/v1/events', {
        body: {
          service: ['all'],
          start_time: start.toISOString(),
          sort: 'DESC',
          limit: MAX_EVENTS,
          search_term,
        },
      }),
    ) as unknown as Event[]
  })
