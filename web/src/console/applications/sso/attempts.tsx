import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertCircle, IconCheck, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import type { components } from '../../../../../client/index.ts'
import { dataOf } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { When } from '../../../ui/when.tsx'
import { To } from '../../link.tsx'
import { useRead } from '../../reads.ts'
import type { Application } from '../application.ts'
import { indented } from './indented.ts'
import classes from './sso.module.css'

type Attempt = components['schemas']['SsoAttempt']

/** An attempt is often being made in the next tab. */
const POLL_MS = 5000

function Row({ attempt }: { attempt: Attempt }) {
  const [opened, setOpened] = useState(false)
  const messages = [
    { title: 'Request', text: attempt.request },
    { title: 'Response', text: attempt.response },
  ].filter(({ text }) => text)
  return (
    <li className={classes.attempt}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Group gap="xs">
            <Tag
              tone={attempt.success ? 'good' : 'bad'}
              Icon={attempt.success ? IconCheck : IconAlertCircle}
            >
              {attempt.success ? 'Signed in' : (attempt.reason ?? 'Refused')}
            </Tag>
            {attempt.user ? (
              <To to={`users/${attempt.user.id}`}>{attempt.user.username}</To>
            ) : (
              <span>Unknown user</span>
            )}
          </Group>
          <Text size="sm" c="dimmed" component="div">
            <When time={attempt.timestamp} /> · {attempt.clientIp} ·{' '}
            {attempt.kind === 'logout'
              ? 'logout'
              : attempt.idpInitiated
                ? 'from the portal'
                : 'from the application'}
          </Text>
          {attempt.explanation && <Text size="sm">{attempt.explanation}</Text>}
        </div>
        {messages.length > 0 && (
          <Button
            size="compact-sm"
            variant="subtle"
            flex="none"
            aria-expanded={opened}
            onClick={() => setOpened(!opened)}
          >
            Debug
          </Button>
        )}
      </Group>
      {opened &&
        messages.map(({ title, text }) => (
          <div key={title}>
            <Text size="sm" fw={600} mt="xs">
              {title}
            </Text>
            <Code block className={classes.debug!} tabIndex={0}>
              {indented(text ?? '')}
            </Code>
          </div>
        ))}
    </li>
  )
}

/** The last sign-ins with their reasons, and the messages behind each. */
export function Attempts({ application }: { application: Application }) {
  const { data, error, refetch, isFetching } = useRead(
    ['applications', application.id, 'attempts'],
    async (api) =>
      dataOf(
        await api.management.GET('/v2/applications/{application_id}/sso/attempts', {
          params: { path: { application_id: application.id } },
        }),
      ),
    { every: () => POLL_MS },
  )
  return (
    <Panel
      title="Last sign-ins"
      action={
        <Button
          size="sm"
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={isFetching && !data}
          onClick={() => void refetch()}
        >
          Refresh
        </Button>
      }
    >
      <Problem error={error} />
      {data?.length === 0 && (
        <Stack gap={4}>
          <Text size="sm" c="dimmed">
            Nobody has tried yet. Attempts appear here with the reason when they are refused.
          </Text>
        </Stack>
      )}
      {data && data.length > 0 && (
        <ul className={classes.attempts} aria-label="Attempts">
          {data.map((attempt) => (
            <Row key={attempt.id} attempt={attempt} />
          ))}
        </ul>
      )}
    </Panel>
  )
}
