import { Button, Group, Modal, Stack, Table } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { dataOf } from '../../api/organization.ts'
import { Confirm, type Question } from '../../ui/confirm.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { Tag } from '../../ui/tag.tsx'
import { When } from '../../ui/when.tsx'
import { useChange } from '../changes.ts'
import { useGo, usePath } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { HistoryTab } from '../resource/history-tab.tsx'
import { ResourcePage } from '../resource/resource-page.tsx'
import { type Account, AUTH_TYPES, type AuthConfig, prefixOf, secretOf, wanted } from './account.ts'
import { SECRET_DEFAULTS, SecretFields, type SecretValues } from './secret-fields.tsx'

const LIST = { path: 'service-accounts', title: 'Service accounts' }
const touches = [['service-accounts']]

function AddSecret({ account, close }: { account: Account; close: () => void }) {
  const form = useForm<SecretValues>({ initialValues: SECRET_DEFAULTS })
  const add = useChange({
    run: async (api, { authType, lifetime }: SecretValues) =>
      dataOf(
        await api.management.POST('/v2/service-accounts/{service_account_id}/auth-config', {
          params: { path: { service_account_id: account.objectId } },
          body: wanted(authType, lifetime),
        }),
      ).authConfig,
    touches,
    quiet: true,
  })
  if (add.data) return <ShownOnce what="The secret" secret={secretOf(add.data)} done={close} />
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))}>
      <Stack>
        <SecretFields form={form} />
        <Problem error={add.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={add.isPending}>
            Add key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function KeysTab({ account }: { account: Account }) {
  const writable = useMay().write('administrators')
  const [adding, { open, close }] = useDisclosure()
  const remove = useChange({
    run: (api, { objectId }: AuthConfig) =>
      api.management.DELETE(
        '/v2/service-accounts/{service_account_id}/auth-config/{auth_config_id}',
        {
          params: {
            path: { service_account_id: account.objectId, auth_config_id: objectId },
          },
        },
      ),
    touches,
    done: (config) => `Deleted ${prefixOf(config)}`,
  })
  return (
    <Stack maw={860}>
      <Table aria-label="Keys" bg="var(--gh-surface)" withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Key</Table.Th>
            <Table.Th>Kind</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th>Ends</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {account.authConfigList.map((config) => (
            <Table.Tr key={config.objectId}>
              <Table.Td ff="monospace">{prefixOf(config)}</Table.Td>
              <Table.Td>{AUTH_TYPES[config.authType]}</Table.Td>
              <Table.Td>
                <When time={config.createdAt} />
              </Table.Td>
              <Table.Td>
                <When time={config.expiresAt} />
              </Table.Td>
              <Table.Td ta="right">
                {writable && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={`Delete ${prefixOf(config)}`}
                    onClick={() => remove.mutate(config)}
                  >
                    Delete
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {writable && (
        <div>
          <Button size="sm" variant="default" onClick={open}>
            Add key
          </Button>
        </div>
      )}
      <Modal opened={adding} onClose={close} title="Add key">
        {adding && <AddSecret account={account} close={close} />}
      </Modal>
    </Stack>
  )
}

function AccountPage({ account }: { account: Account }) {
  const writable = useMay().write('administrators')
  const go = useGo()
  const [question, ask] = useState<Question | null>(null)
  const { objectId: id, name } = account
  const remove = useChange({
    run: (api) =>
      api.management.DELETE('/v2/service-accounts/{service_account_id}', {
        params: { path: { service_account_id: id } },
      }),
    touches,
    done: () => `Deleted ${name}`,
    after: () => void go('service-accounts'),
  })
  return (
    <>
      <ResourcePage
        list={LIST}
        name={name}
        error={null}
        state={<Tag tone="calm">{account.roleName}</Tag>}
        copy={[{ label: 'id', value: id }]}
        menu={
          writable
            ? [
                {
                  label: 'Delete service account',
                  Icon: IconTrash,
                  danger: true,
                  run: () =>
                    ask({
                      title: `Delete ${name}?`,
                      text: 'Its keys and tokens end at once. This cannot be undone.',
                      action: 'Delete service account',
                      run: () => remove.mutate(),
                    }),
                },
              ]
            : []
        }
        tabs={[
          { id: 'keys', label: 'Keys', content: () => <KeysTab account={account} /> },
          {
            id: 'history',
            label: 'History',
            content: () => <HistoryTab area="service-accounts" id={id} />,
          },
        ]}
      />
      <Confirm question={question} close={() => ask(null)} />
    </>
  )
}

export function Detail() {
  const { id = '' } = usePath()
  const { data, error } = useRead(['service-accounts', id, 'record'], async (api) =>
    dataOf(
      await api.management.GET('/v2/service-accounts/{service_account_id}', {
        params: { path: { service_account_id: id } },
      }),
    ),
  )
  if (data) return <AccountPage account={data.serviceAccount} />
  return <ResourcePage list={LIST} name={undefined} error={error} tabs={[]} />
}
