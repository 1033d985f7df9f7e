import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import { dataOf } from '../../../api/organization.ts'
import { When } from '../../../ui/when.tsx'
import { useChange } from '../../changes.ts'
import { useMay } from '../../organization.ts'
import { useRead } from '../../reads.ts'
import type { Application } from '../application.ts'

const PATH = '/v2/applications/{application_id}/spmetadata'

/** The metadata that is read again on a schedule; nothing if none is. */
export function Followed({ application: { id } }: { application: Application }) {
  const writable = useMay().write('applications')
  const params = { path: { application_id: id } }
  const { data } = useRead(['applications', id, 'spmetadata'], async (api) =>
    dataOf(await api.management.GET(PATH, { params })),
  )
  const stop = useChange({
    run: (api) => api.management.DELETE(PATH, { params }),
    touches: [['applications', id]],
    done: () => 'Stopped following the metadata; the settings stay',
  })
  if (!data?.followedUrl) return null
  return (
    <Alert
      variant="light"
      color={data.error ? 'orange' : 'blue'}
      icon={data.error ? <IconAlertTriangle aria-hidden /> : <IconRefresh aria-hidden />}
      title={data.error ? 'The metadata could not be read again' : 'Follows the metadata'}
    >
      <Group justify="space-between" align="flex-end">
        <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
          {data.followedUrl}, read <When time={data.checkedAt ?? data.importedAt} />
          {data.error && <div>{data.error}</div>}
        </Text>
        {writable && (
          <Button
            size="xs"
            variant="default"
            loading={stop.isPending}
            onClick={() => stop.mutate()}
          >
            Stop following
          </Button>
        )}
      </Group>
    </Alert>
  )
}
