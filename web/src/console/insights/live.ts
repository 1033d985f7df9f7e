import { useEffect, useState } from 'react'
import { messagesOf } from '../../api/event-stream.ts'
import { apiOf } from '../../api/organization.ts'
import { useOrganization } from '../organization.ts'
import type { Event } from '../resource/event.ts'
import { csrfToken } from '../session.ts'
import type { Selection } from './explorer-state.ts'

/** Older ones give way: a tail that runs for days must not fill the memory. */
const MAX_KEPT = 2000
const RETRY_MS = 2000

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, RETRY_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

interface Tail {
  events: Event[]
  connected: boolean
}

/** For an event without an id: after all of its millisecond. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const NOTHING: Tail = { events: [], connected: false }

/** Events as they happen, newest first. `after` is the newest that is shown already; undefined while that is unknown. */
export function useLiveTail(
  on: boolean,
  { service, search_term }: Selection,
  after: Event | null | undefined,
): Tail {
  const { id: organization } = useOrganization()
  const [tail, setTail] = useState(NOTHING)
  const term = search_term && JSON.stringify(search_term)
  const services = service.join(',')
  const ready = on && after !== undefined
  const first = after ? `${Date.parse(after.timestamp)}:${after.id ?? LAST_ID}` : ''
  useEffect(() => {
    setTail(NOTHING)
    if (!ready) return
    const gone = new AbortController()
    let last = first
    const follow = async () => {
      const api = apiOf({ organization, csrfToken, signal: gone.signal, onCall: () => {} })
      const { data } = await api.insights.GET('/v1/events/stream', {
        params: {
          query: {
            service: services.split(','),
            ...(term && { search_term: term }),
            ...(last && { last_event_id: last }),
          },
        },
        parseAs: 'stream',
      })
      setTail((now) => ({ ...now, connected: true }))
      for await (const message of messagesOf(data as ReadableStream<BufferSource>)) {
        last = message.id
        const event: Event = JSON.parse(message.data)
        setTail(({ events }) => ({
          events: [event, ...events].slice(0, MAX_KEPT),
          connected: true,
        }))
      }
    }
    const run = async () => {
      while (!gone.signal.aborted) {
        await follow().catch(() => {})
        if (!gone.signal.aborted) setTail((now) => ({ ...now, connected: false }))
        await pause(gone.signal)
      }
    }
    void run()
    return () => gone.abort()
  }, [ready, organization, services, term, first])
  return tail
}
