import { Button, Code, CopyButton, Group, Modal, Stack, Text, Title } from '@mantine/core'
import type { ApiCall } from '../../api/organization.ts'
import { madeCalls } from '../changes.ts'
import { shownCalls } from '../reads.ts'

/** For a shell: single quotes, and those within closed and opened again. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function curlOf({ method, path, organization, body }: ApiCall): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(window.location.origin + path)}`,
    `-H "x-api-key: $KEY"`,
    ...(organization ? [`-H 'x-org-id: ${organization}'`] : []),
    ...(body ? [`-H 'content-type: application/json'`, `-d ${quoted(body)}`] : []),
  ]
  return lines.join(' \\\n  ')
}

function Calls({ title, calls }: { title: string; calls: ApiCall[] }) {
  if (calls.length === 0) return null
  return (
    <Stack gap="sm" component="section">
      <Title order={3} size="h5">
        {title}
      </Title>
      {calls.map((call) => {
        const curl = curlOf(call)
        return (
          <div key={curl}>
            <Group justify="space-between" wrap="nowrap" mb={4}>
              <Text size="sm" fw={500} truncate>
                {call.method} {decodeURIComponent(call.path)}
              </Text>
              <CopyButton value={curl}>
                {({ copied, copy }) => (
                  <Button variant="default" size="compact-sm" onClick={copy} flex="none">
                    {copied ? 'Copied' : 'Copy'}
                  </Button>
                )}
              </CopyButton>
            </Group>
            <Code block tabIndex={0}>
              {curl}
            </Code>
          </div>
        )
      })}
    </Stack>
  )
}

const distinct = (calls: ApiCall[]) => [
  ...new Map(calls.map((call) => [call.method + call.path + call.body, call])).values(),
]

/** What the console does, curl can do: the calls behind this page, and the last changes. */
export const CallsDialog = ({ opened, close }: { opened: boolean; close: () => void }) => (
  <Modal opened={opened} onClose={close} title="This page as API calls" size="xl">
    {opened && (
      <Stack gap="lg">
        <Calls title="Your last changes" calls={distinct(madeCalls())} />
        <Calls title="What this page shows" calls={distinct(shownCalls())} />
      </Stack>
    )}
  </Modal>
)
