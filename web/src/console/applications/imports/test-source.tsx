import { Button, Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useChange } from '../../changes.ts'
import type { Application } from '../application.ts'
import { test } from './source.ts'

export function TestSource({ application }: { application: Application }) {
  const tested = useChange({
    run: test(application.id),
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
          loading={tested.isPending}
          onClick={() => tested.mutate()}
        >
          Test source
        </Button>
      }
    >
      <Problem error={tested.error} />
      {tested.data && (
        <Text size="sm" role="status" component="div">
          <Tag tone={tested.data.ok ? 'good' : 'bad'}>{tested.data.ok ? 'Works' : 'Fails'}</Tag>{' '}
          {tested.data.message}{' '}
          {tested.data.members.length > 0 && <>Fields: {tested.data.members.join(', ')}</>}
        </Text>
      )}
    </Panel>
  )
}
