import { Button, Group, Menu, Skeleton, Stack, Table, Text } from '@mantine/core'
import {
  IconAlertCircle,
  IconChevronDown,
  IconCircleCheck,
  IconClock,
  IconDownload,
} from '@tabler/icons-react'
import { dataOf } from '../../api/organization.ts'
import { download } from '../../ui/download.ts'
import { Problem } from '../../ui/problem.tsx'
import { Tag } from '../../ui/tag.tsx'
import { When } from '../../ui/when.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'

const POLL_MS = 2000
const LIMIT = 100

const TYPES: Record<string, string> = {
  'user-account-health': 'Users and the state of their accounts',
  'users-to-sso-applications': 'Users and their applications',
  'users-to-user-groups': 'Users and their groups',
  'users-to-devices': 'Users and their devices',
  'users-to-directories': 'Users and their directories',
  'os-version': 'Devices and their operating systems',
}

type Status = 'PENDING' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'DELETED'

const unfinished = (status: Status) => status === 'PENDING' || status === 'IN_PROGRESS'

function ReportTag({ status }: { status: Status }) {
  if (unfinished(status))
    return (
      <Tag tone="calm" Icon={IconClock}>
        In progress
      </Tag>
    )
  return status === 'COMPLETED' ? (
    <Tag tone="good" Icon={IconCircleCheck}>
      Ready
    </Tag>
  ) : (
    <Tag tone="bad" Icon={IconAlertCircle}>
      {status === 'FAILED' ? 'Failed' : 'Expired'}
    </Tag>
  )
}

interface Artifact {
  report: string
  type: string
  id: string
  format: string
}

/** Files about the organization, made in the background. */
export function Reports() {
  const writable = useMay().write('insights')
  const { data, error } = useRead(
    ['reports'],
    async (api) =>
      dataOf(
        await api.insights.GET('/v1/reports', { params: { query: { limit: LIMIT, skip: 0 } } }),
      ),
    { every: (reports) => (reports?.some(({ status }) => unfinished(status)) ? POLL_MS : false) },
  )
  const request = useChange({
    run: (api, type: string) =>
      api.insights.POST('/v1/reports/{report_type}', { params: { path: { report_type: type } } }),
    touches: [['reports']],
    done: (type) => `Requested: ${TYPES[type]}`,
  })
  const fetchFile = useChange({
    run: async (api, { report, id }: Artifact) =>
      dataOf(
        await api.insights.GET('/v1/reports/{report_id}/artifacts/{artifact_id}/content', {
          params: { path: { report_id: report, artifact_id: id } },
          parseAs: 'blob',
        }),
      ),
    touches: [],
    after: (file, { type, format }) => download(`${type}.${format.toLowerCase()}`, file),
  })
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Files are kept for 30 days.
        </Text>
        {writable && (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="sm" rightSection={<IconChevronDown size={16} aria-hidden />}>
                Request report
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {Object.entries(TYPES).map(([type, label]) => (
                <Menu.Item key={type} onClick={() => request.mutate(type)}>
                  {label}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <Problem error={error} />
      {!data && !error && <Skeleton h={120} />}
      {data?.length === 0 && <Text size="sm">None yet.</Text>}
      {data && data.length > 0 && (
        <Table.ScrollContainer minWidth={600} type="native">
          <Table aria-label="Reports" bg="var(--gh-surface)" withTableBorder>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Report</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Requested</Table.Th>
                <Table.Th>By</Table.Th>
                <Table.Th>Kept until</Table.Th>
                <Table.Th>Files</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((report) => (
                <Table.Tr key={report.id}>
                  <Table.Td>{TYPES[report.type] ?? report.type}</Table.Td>
                  <Table.Td title={report.error_message}>
                    <ReportTag status={report.status} />
                  </Table.Td>
                  <Table.Td>
                    <When time={report.created_at} />
                  </Table.Td>
                  <Table.Td>{report.requester_email || '–'}</Table.Td>
                  <Table.Td>
                    <When time={report.expiration} />
                  </Table.Td>
                  <Table.Td>
                    <Group gap="xs">
                      {report.artifacts.map(({ id, format }) => (
                        <Button
                          key={id}
                          size="compact-sm"
                          variant="default"
                          leftSection={<IconDownload size={14} aria-hidden />}
                          onClick={() =>
                            fetchFile.mutate({ report: report.id, type: report.type, id, format })
                          }
                        >
                          {format}
                        </Button>
                      ))}
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  )
}
