import { Badge, Button, Group, Text } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Session } from '../../../../server/portal/schema.ts'
import { Loaded } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ago } from '../../ui/time.ts'
import { endOtherSessions, endSession, queries, sessionsQuery } from '../api.ts'
import classes from './security.module.css'

const nameOf = ({ browser, system }: Session) =>
  [browser, system].filter((part) => part !== '').join(' on ') || 'Unknown device'

interface EntryProps {
  session: Session
  end: () => void
  busy: boolean
}

function Entry({ session, end, busy }: EntryProps) {
  const Icon = /iOS|Android/.test(session.system) ? IconDeviceMobile : IconDeviceDesktop
  return (
    <li className={classes.session}>
      <Icon size={28} stroke={1.5} aria-hidden />
      <div className={classes.device}>
        <Group gap="xs">
          <Text fw={500}>{nameOf(session)}</Text>
          {session.current && (
            <Badge color="green" variant="light" className={classes.badge!}>
              This device
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {session.clientIp} · {ago(session.seenAt)}
        </Text>
      </div>
      {!session.current && (
        <Button
          variant="default"
          size="xs"
          onClick={end}
          disabled={busy}
          aria-label={`Sign out ${nameOf(session)}`}
        >
          Sign out
        </Button>
      )}
    </li>
  )
}

export function SessionsPanel() {
  const query = useQuery(sessionsQuery)
  const ending = useMutation({
    mutationFn: (id: string | null) => (id === null ? endOtherSessions() : endSession(id)),
    onSettled: () => queries.invalidateQueries(sessionsQuery),
  })
  const several = (query.data?.length ?? 0) > 1
  return (
    <Panel
      title="Where you are signed in"
      action={
        several && (
          <Button
            variant="default"
            size="sm"
            onClick={() => ending.mutate(null)}
            loading={ending.isPending}
          >
            Sign out everywhere else
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {(sessions) => (
          <ul className={classes.sessions}>
            {sessions.map((session) => (
              <Entry
                key={session.id}
                session={session}
                end={() => ending.mutate(session.id)}
                busy={ending.isPending}
              />
            ))}
          </ul>
        )}
      </Loaded>
      <Problem error={ending.error} />
    </Panel>
  )
}
