import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useState } from 'react'
import { counted } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { Tag } from '../../ui/tag.tsx'
import { When } from '../../ui/when.tsx'
import { printValue } from '../insights/query/text.ts'
import { To } from '../link.tsx'
import { useMay } from '../organization.ts'
import { Diff } from './diff.tsx'
import { actorOf, associationWords, type Event, eventWords, keyOf } from './event.ts'
import classes from './history.module.css'
import { EVENT_DAYS, useEvents } from './use-events.ts'

/** Where an event names the objects that it is about. */
const ABOUT = [
  'resource.id',
  'association.connection.from.object_id',
  'association.connection.to.object_id',
]

const queryAbout = (id: string) => ABOUT.map((field) => `${field} = ${printValue(id)}`).join(' or ')

function Row({ event, about }: { event: Event; about: string }) {
  const [opened, setOpened] = useState(false)
  const changes = event.changes ?? []
  const association = associationWords(event, about)
  return (
    <li className={classes.event}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <div>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {eventWords(event.event_type)}
            </Text>
            {event.success === false && (
              <Tag tone="bad" Icon={IconAlertCircle}>
                Failed
              </Tag>
            )}
          </Group>
          {association && <Text size="sm">{association}</Text>}
          <Text size="sm" c="dimmed">
            {actorOf(event)} · <When time={event.timestamp} />
          </Text>
        </div>
        {changes.length > 0 && (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-expanded={opened}
            onClick={() => setOpened(!opened)}
          >
            {counted(changes.length, 'change')}
          </Button>
        )}
      </Group>
      {opened && <Diff changes={changes} />}
    </li>
  )
}

/** The events of an object, newest first. */
export function HistoryTab(props: { area: string; id: string }) {
  return useMay().read('insights') ? (
    <History {...props} />
  ) : (
    <Text c="dimmed">Your role may not read events: it lacks the scope insights.readonly.</Text>
  )
}

function History({ area, id }: { area: string; id: string }) {
  const { data, error } = useEvents([area, id, 'history'], {
    or: ABOUT.map((field) => ({ [field]: id })),
  })
  if (error) return <Problem error={error} />
  if (!data)
    return (
      <Stack>
        <Skeleton h={52} />
        <Skeleton h={52} />
      </Stack>
    )
  if (data.length === 0)
    return <Text c="dimmed">Nothing happened in the last {EVENT_DAYS} days.</Text>
  return (
    <>
      <Text
        size="sm"
        mb="xs"
        component={To}
        to="insights"
        search={{ q: queryAbout(id), last: 'P90D' }}
        c="var(--gh-active-text)"
        display="inline-block"
      >
        Search these events
      </Text>
      <ul className={classes.events} aria-label="Events">
        {data.map((event) => (
          <Row key={keyOf(event)} event={event} about={id} />
        ))}
      </ul>
    </>
  )
}
