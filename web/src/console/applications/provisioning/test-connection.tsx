import { Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertCircle, IconCheck, IconPlugConnected } from '@tabler/icons-react'
import { dataOf } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useChange } from '../../changes.ts'
import type { Application } from '../application.ts'

export function TestConnection({ application }: { application: Application }) {
  const test = useChange({
    run: async (api, write: boolean) =>
      dataOf(
        await api.management.POST('/v2/applications/{application_id}/provisioning/test', {
          params: { path: { application_id: application.id }, query: { write } },
        }),
      ),
    touches: [],
    quiet: true,
  })
  return (
    <Panel
      title="Test"
      lead="Reads from the provider; the thorough one also makes a test user and deletes it again."
      action={
        <Group gap="xs">
          <Button
            size="sm"
            variant="default"
            leftSection={<IconPlugConnected size={16} aria-hidden />}
            loading={test.isPending && !test.variables}
            onClick={() => test.mutate(false)}
          >
            Test connection
          </Button>
          <Button
            size="sm"
            variant="default"
            loading={test.isPending && test.variables === true}
            onClick={() => test.mutate(true)}
          >
            Test writing
          </Button>
        </Group>
      }
    >
      <Problem error={test.error} />
      <Stack gap={6} role="status">
        {test.data?.steps.map(({ name, ok, ms, message }) => (
          <Group key={name} gap="xs" wrap="nowrap" align="flex-start">
            <Tag tone={ok ? 'good' : 'bad'} Icon={ok ? IconCheck : IconAlertCircle}>
              {ok ? 'Works' : 'Fails'}
            </Tag>
            <Text size="sm">
              <b>{name}</b>: {message}{' '}
              <Text span c="dimmed">
                {ms} ms
              </Text>
            </Text>
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}
