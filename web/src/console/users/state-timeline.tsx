import { Text, Timeline } from '@mantine/core'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/when.tsx'
import { actorOf } from '../resource/event.ts'
import { useEvents } from '../resource/use-events.ts'
import type { User } from './user.ts'

/** By the events of the changes. */
const WORDS: Record<string, string> = {
  user_activated: 'Activated',
  user_suspended: 'Suspended',
  user_unsuspended: 'Reactivated',
}

/** The changes of the state so far, newest first. */
export function StateTimeline({ user }: { user: User }) {
  const { data, error } = useEvents(['users', user.id, 'states'], {
    and: [{ 'resource.id': user.id }, { event_type: Object.keys(WORDS) }],
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
