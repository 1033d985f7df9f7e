import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { timeFormat } from '../../ui/time.ts'
import { When } from '../../ui/when.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ScheduleForm } from './schedule-form.tsx'
import { StateBadge } from './state-badge.tsx'
import { StateTimeline } from './state-timeline.tsx'
import { STATES, type User } from './user.ts'

const exact = timeFormat({ dateStyle: 'full', timeStyle: 'short' })

/** What the state will be, is and was. */
export function StateTab({ user }: { user: User }) {
  const writable = useMay().write('users')
  const { data, error } = useRead(['users', user.id, 'scheduled'], async (api) =>
    dataOf(
      await api.management.GET('/v2/bulk/userstates', { params: { query: { userid: user.id } } }),
    ),
  )
  const cancel = useChange({
    run: (api, id: string) =>
      api.management.DELETE('/v2/bulk/userstates/{id}', { params: { path: { id } } }),
    touches: [['users', user.id]],
    done: () => 'Cancelled the change',
  })
  return (
    <Stack maw={720}>
      <Paper p="lg" withBorder component="section" bg="var(--gh-surface)">
        <Title order={2} size="h5" mb="sm">
          Scheduled changes
        </Title>
        <Stack gap="sm">
          <Problem error={error} />
          {data?.length === 0 && (
            <Text size="sm" c="dimmed">
              None.
            </Text>
          )}
          {data?.map(({ scheduledJobId, scheduledDate, state }) => (
            <Group key={scheduledJobId} justify="space-between">
              <Text size="sm" component="div">
                {STATES[state]} on {exact.format(new Date(scheduledDate))} (
                <When time={scheduledDate} />)
              </Text>
              {writable && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  onClick={() => cancel.mutate(scheduledJobId)}
                >
                  Cancel change
                </Button>
              )}
            </Group>
          ))}
          {writable && (
            <ScheduleForm
              ids={[user.id]}
              target={user.state === 'ACTIVATED' ? 'SUSPENDED' : 'ACTIVATED'}
            />
          )}
        </Stack>
      </Paper>
      <Paper p="lg" withBorder component="section" bg="var(--gh-surface)">
        <Group mb="md">
          <Title order={2} size="h5">
            Until now
          </Title>
          <StateBadge user={user} />
        </Group>
        <StateTimeline user={user} />
      </Paper>
    </Stack>
  )
}
