import { Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/when.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { nameOf } from './name.ts'
import type { User } from './user.ts'

interface Session {
  id: string
  browser: string
  system: string
}

const deviceOf = ({ browser, system }: Session) =>
  [browser, system].filter((part) => part !== '').join(' on ') || 'Unknown device'

/** Where the user is signed in to the portal. */
export function SessionsTab({ user }: { user: User }) {
  const writable = useMay().write('users')
  const path = { user_id: user.id }
  const { data, error } = useRead(['users', user.id, 'sessions'], async (api) =>
    dataOf(await api.management.GET('/v2/users/{user_id}/sessions', { params: { path } })),
  )
  const touches = [['users', user.id]]
  const end = useChange({
    run: (api, session: Session) =>
      api.management.DELETE('/v2/users/{user_id}/sessions/{session_id}', {
        params: { path: { ...path, session_id: session.id } },
      }),
    touches,
    done: (session) => `Signed ${nameOf(user)} out of ${deviceOf(session)}`,
  })
  const endAll = useChange({
    run: (api) => api.management.DELETE('/v2/users/{user_id}/sessions', { params: { path } }),
    touches,
    done: () => `Signed ${nameOf(user)} out everywhere`,
  })
  return (
    <Stack maw={860}>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Sessions of the portal. Applications that are open in them are told when one ends.
        </Text>
        {writable && data && data.length > 1 && (
          <Button size="sm" variant="default" onClick={() => endAll.mutate()}>
            Sign out everywhere
          </Button>
        )}
      </Group>
      <Problem error={error} />
      {!data && !error && <Skeleton h={120} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          Not signed in anywhere.
        </Text>
      )}
      {data && data.length > 0 && (
        <Table.ScrollContainer minWidth={600} type="native">
          <Table aria-label="Sessions" bg="var(--gh-surface)" withTableBorder>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Device</Table.Th>
                <Table.Th>Address</Table.Th>
                <Table.Th>Second factor</Table.Th>
                <Table.Th>Signed in</Table.Th>
                <Table.Th>Last seen</Table.Th>
                <Table.Td />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((session) => (
                <Table.Tr key={session.id}>
                  <Table.Th scope="row">{deviceOf(session)}</Table.Th>
                  <Table.Td>{session.clientIp ?? '–'}</Table.Td>
                  <Table.Td>{session.methods.includes('otp') ? 'Yes' : 'No'}</Table.Td>
                  <Table.Td>
                    <When time={session.created} />
                  </Table.Td>
                  <Table.Td>
                    <When time={session.seenAt} />
                  </Table.Td>
                  <Table.Td ta="right">
                    {writable && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={`Sign out ${deviceOf(session)}`}
                        onClick={() => end.mutate(session)}
                      >
                        Sign out
                      </Button>
                    )}
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
