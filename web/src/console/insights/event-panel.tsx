import {
  Button,
  CloseButton,
  Code,
  CopyButton,
  Group,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Copyable } from '../../ui/copyable.tsx'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/when.tsx'
import { To } from '../link.tsx'
import { Diff } from '../resource/diff.tsx'
import { actorOf, type Event, eventWords, keyOf } from '../resource/event.ts'
import { pathOf } from '../resource/names.ts'
import classes from './explorer.module.css'
import type { ExplorerState } from './explorer-state.ts'
import { shownValue } from './fields.ts'
import type { Scalar } from './query/term.ts'
import { useEvent } from './reads.ts'
import { ValueButtons } from './value-buttons.tsx'

/** Members that are shown in another way or cannot be searched. */
const OMITTED = ['changes', 'useragent', 'user_agent']

function leavesOf(document: object, prefix = ''): [string, Scalar][] {
  return Object.entries(document).flatMap(([name, value]): [string, Scalar][] => {
    if (prefix === '' && OMITTED.includes(name)) return []
    const path = prefix + name
    if (value === null || value === '') return []
    if (Array.isArray(value))
      return value.flatMap((one): [string, Scalar][] =>
        typeof one === 'object' && one !== null ? leavesOf(one, `${path}.`) : [[path, one]],
      )
    return typeof value === 'object' ? leavesOf(value, `${path}.`) : [[path, value]]
  })
}

/** The page of the object that the event is about, where there is one. */
function TargetLink({ event }: { event: Event }) {
  const { resource } = event as Event & { resource?: { type?: string; id?: string } }
  const path = resource?.type && pathOf(resource.type)
  return path && resource.id ? (
    <Text size="sm" component={To} to={`${path}/${resource.id}`}>
      Open the {resource.type?.replaceAll('_', ' ')}
    </Text>
  ) : null
}

function Contents({ event, state }: { event: Event; state: ExplorerState }) {
  const [json, setJson] = useState(false)
  const text = JSON.stringify(event, null, 2)
  return (
    <Stack gap="md">
      <div>
        <Text size="sm">
          {actorOf(event)} · <When time={event.timestamp} />
        </Text>
        {event.id && <Copyable label="id" value={event.id} />}
        <TargetLink event={event} />
      </div>
      {event.changes && event.changes.length > 0 && (
        <section>
          <Title order={3} size="h6">
            Changes
          </Title>
          <Diff changes={event.changes} />
        </section>
      )}
      <section>
        <Group justify="space-between" mb={4}>
          <Title order={3} size="h6">
            {json ? 'Event as JSON' : 'Fields'}
          </Title>
          <Group gap={4}>
            <CopyButton value={text}>
              {({ copied, copy }) => (
                <Button size="compact-xs" variant="subtle" onClick={copy}>
                  {copied ? 'Copied' : 'Copy JSON'}
                </Button>
              )}
            </CopyButton>
            <Button size="compact-xs" variant="subtle" onClick={() => setJson(!json)}>
              {json ? 'Show fields' : 'Show JSON'}
            </Button>
          </Group>
        </Group>
        {json ? (
          <Code block tabIndex={0}>
            {text}
          </Code>
        ) : (
          <dl className={classes.members}>
            {leavesOf(event).map(([field, value]) => (
              <div key={`${field} ${value}`} className={classes.member}>
                <dt>{field}</dt>
                <dd>
                  {shownValue(field, value)}
                  <span className={classes.valueButtons}>
                    <ValueButtons state={state} field={field} value={value} />
                  </span>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </section>
    </Stack>
  )
}

interface Props {
  state: ExplorerState
  id: string
  known: Event | undefined
}

/** One event beside the list. */
export function EventPanel({ state, id, known }: Props) {
  const { data, error } = useEvent(id, known)
  const event = known ?? data
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    panel.current?.focus({ preventScroll: true })
    return () => before?.focus({ preventScroll: true })
  }, [])
  return (
    <aside ref={panel} tabIndex={-1} className={classes.panel} aria-label="Event">
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb="xs">
        <Title order={2} size="h5">
          {event ? eventWords(event.event_type) : event === null ? 'Not found' : 'Event'}
        </Title>
        <CloseButton
          aria-label="Close the event"
          onClick={() => state.set({ event: undefined }, true)}
        />
      </Group>
      <Problem error={error} />
      {event === null && (
        <Text size="sm" c="dimmed">
          The event is older than the organization keeps, or belongs to another one.
        </Text>
      )}
      {event === undefined && !error && <Skeleton h={200} />}
      {event && <Contents key={keyOf(event)} event={event} state={state} />}
    </aside>
  )
}
