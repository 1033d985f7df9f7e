import { Badge, Button, Group, Text } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import classes from './session-list.module.css'
import { ago } from './time.ts'

interface Session {
  current: boolean
  seenAt: string
  clientIp: string | null
  browser: string
  system: string
}

const nameOf = ({ browser, system }: Session) =>
  [browser, system].filter((part) => part !== '').join(' on ') || 'Unknown device'

interface EntryProps {
  session: Session
  end: (() => void) | undefined
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
      {!session.current && end && (
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

interface Props<T> {
  sessions: T[]
  /** Ends one of the others; absent where only all of them can be ended. */
  end?: (session: T) => void
  busy?: boolean
}

/** Where somebody is signed in. */
export const SessionList = <T extends Session>({ sessions, end, busy = false }: Props<T>) => (
  <ul className={classes.sessions}>
    {sessions.map((session, at) => (
      <Entry
        // biome-ignore lint/suspicious/noArrayIndexKey: entries keep no state
        key={at}
        session={session}
        end={end && (() => end(session))}
        busy={busy}
      />
    ))}
  </ul>
)
