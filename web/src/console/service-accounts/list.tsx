import { Button, Group, Modal, Skeleton, Table, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/when.tsx'
import { SIBLINGS } from '../administrators/siblings.ts'
import { To, useAddress, useGo } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'
import { SiblingTabs } from '../resource/sibling-tabs.tsx'
import { CreateAccount } from './create-account.tsx'

/** Programs that call the API in their own name. */
export function List() {
  const { name } = useOrganization()
  const writable = useMay().write('administrators')
  const go = useGo()
  const { new: creating } = useAddress()
  useDocumentTitle(`Service accounts · ${name} · Gatehouse`)
  const { data, error } = useRead(['service-accounts', 'list'], async (api) =>
    dataOf(await api.management.GET('/v2/service-accounts', { params: { query: { limit: 100 } } })),
  )
  const close = () => void go('service-accounts', { replace: true })
  const add = writable && (
    <Button
      size="sm"
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => void go('service-accounts', { search: { new: '1' } })}
    >
      Add service account
    </Button>
  )
  return (
    <>
      <Group justify="space-between" mb="md">
        <Title order={1}>Service accounts</Title>
        {add}
      </Group>
      <SiblingTabs siblings={SIBLINGS} />
      <Problem error={error} />
      {!data && !error && <Skeleton h={160} />}
      {data?.results.length === 0 && (
        <Text c="dimmed">
          None yet. A service account lets a program call the API with a role and keys of its own.
        </Text>
      )}
      {data && data.results.length > 0 && (
        <Table aria-label="Service accounts" bg="var(--gh-surface)" withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th>Keys</Table.Th>
              <Table.Th>Made</Table.Th>
              <Table.Th>Last key ends</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.results.map((account) => (
              <Table.Tr key={account.objectId}>
                <Table.Td>
                  <To to={`service-accounts/${account.objectId}`}>{account.name}</To>
                </Table.Td>
                <Table.Td>
                  <To to={`roles/${account.roleId}`}>{account.roleName}</To>
                </Table.Td>
                <Table.Td>{account.authConfigList.length}</Table.Td>
                <Table.Td>
                  <When time={account.createdAt} />
                </Table.Td>
                <Table.Td>
                  <When time={account.expiresAt} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {writable && (
        <Modal
          opened={creating !== undefined}
          onClose={close}
          title="Add service account"
          size="lg"
        >
          {creating !== undefined && <CreateAccount close={close} />}
        </Modal>
      )}
    </>
  )
}
