import { Text, Timeline } from '@mantine/core'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/when.tsx'
import { useRead } from '../reads.ts'
import { actorOf, type Event } from '../resource/event.ts'
import type { User } from './user.ts'

const DAYS = 90

/** By the events of the changes. */
const WORDS: Record<string, string> = {
  user_activated: 'Activated',
  user_suspended: 'Suspended',
  user_unsuspended: 'Reactivated',
}

/** The changes of the state so far, newest first. */
export function StateTimeline({ user }: { user: User }) {
  const { data, error } = useRead(['users', user.id, 'states'], async (api) => {
    const start = new Date(Date.now() - DAYS * 86_400_000)
    return dataOf(
      await api.insights.POST('/v1/events', {
        body: {
          service: ['directory'],
          start_time: start.toISOString(),
          sort: 'DESC',
          limit: 100,
          search_term: { and: [{ 'resource.id': user.id }, { event_type: Object.keys(WORDS) }] },
        },
      }),
    ) as unknown as Event[]
  })
  if (error) return <Problem error={error} />
  if (!data) return null
  return (
    <Timeline bulletSize={14} lineWidth={2} active={-1} aria-label="Changes of the state">
      {data.map((event) => (
        <Timeline.Item key={event.id} title={WORDS[event.event_type]}>
          <Text size="sm" c="dimmed" component="div">
            <When time={event.timestamp} /> by {actorOf(event)}
          </Text>
        </Timeline.Item>
      ))}
      <Timeline.Item title="Created">
        <Text size="sm" c="dimmed" component="div">
          <When time={user.created} />
        </Text>
      </Timeline.Item>
    </Timeline>
  )
}
