import { Button, Group, Modal, SegmentedControl, Skeleton, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { dataOf } from '../../../api/organization.ts'
import { Problem } from '../../../ui/problem.tsx'
import { When } from '../../../ui/when.tsx'
import { To, useAddress, useGo } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import { useRead } from '../../reads.ts'
import { CreateWebhook } from './create-webhook.tsx'
import { lagOf } from './lag.ts'
import { WebhookTag } from './webhook-tag.tsx'

const VIEWS = [
  { value: 'all', label: 'All' },
  { value: 'unreachable', label: 'Cannot be reached' },
]

/** Where events are sent as they happen. */
export function Webhooks() {
  const go = useGo()
  const view = useAddress().view === 'unreachable' ? 'unreachable' : 'all'
  const writable = useMay().write('insights')
  const [adding, { open, close }] = useDisclosure()
  const { data, error } = useRead(['webhooks', 'list'], async (api) =>
    dataOf(await api.insights.GET('/v1/forwarders')),
  )
  const shown = data?.results.filter(
    ({ status }) => view === 'all' || status === 'retrying' || status === 'failed',
  )
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Each sends events to an address of yours, such as a SIEM: signed, in order, at least once.
        </Text>
        {writable && (
          <Button size="sm" leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
            Add webhook
          </Button>
        )}
      </Group>
      <div>
        <SegmentedControl
          aria-label="Which webhooks"
          size="sm"
          data={VIEWS}
          value={view}
          onChange={(next) =>
            void go('settings/webhooks', { search: next === 'all' ? {} : { view: next } })
          }
        />
      </div>
      <Problem error={error} />
      {!shown && !error && <Skeleton h={120} />}
      {shown?.length === 0 && (
        <Text size="sm">{view === 'all' ? 'None yet.' : 'All can be reached.'}</Text>
      )}
      {shown && shown.length > 0 && (
        <Table.ScrollContainer minWidth={600} type="native">
          <Table aria-label="Webhooks" bg="var(--gh-surface)" withTableBorder>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Address</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Last success</Table.Th>
                <Table.Th>Behind</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((hook) => (
                <Table.Tr key={hook.id}>
                  <Table.Td>
                    <To to={`settings/webhooks/${hook.id}`}>{hook.name}</To>
                  </Table.Td>
                  <Table.Td>{hook.url}</Table.Td>
                  <Table.Td>
                    <WebhookTag status={hook.status} />
                  </Table.Td>
                  <Table.Td>
                    <When time={hook.last_success} />
                  </Table.Td>
                  <Table.Td>{lagOf(hook.lag_seconds)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Modal opened={adding} onClose={close} title="Add webhook" size="lg">
        {adding && <CreateWebhook close={close} />}
      </Modal>
    </Stack>
  )
}
