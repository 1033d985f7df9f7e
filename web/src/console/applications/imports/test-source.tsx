import { Button, Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { dataOf } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useChange } from '../../changes.ts'
import type { Application } from '../application.ts'

export function TestSource({ application }: { application: Application }) {
  const test = useChange({
    run: async (api) =>
      dataOf(
        await api.management.POST('/v2/applications/{application_id}/import/config/test', {
          params: { path: { application_id: application.id } },
        }),
      ),
    touches: [],
    quiet: true,
  })
  return (
    <Panel
      title="Test"
      lead="Reads the first records."
      action={
        <Button
          size="sm"
          variant="default"
          leftSection={<IconPlugConnected size={16} aria-hidden />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Test source
        </Button>
      }
    >
      <Problem error={test.error} />
      {test.data && (
        <Text size="sm" role="status" component="div">
          <Tag tone={test.data.ok ? 'good' : 'bad'}>{test.data.ok ? 'Works' : 'Fails'}</Tag>{' '}
          {test.data.message}{' '}
          {test.data.members.length > 0 && <>Fields: {test.data.members.join(', ')}</>}
        </Text>
      )}
    </Panel>
  )
}
