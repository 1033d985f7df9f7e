import { Button, Modal, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { dataOf, pageOfV1 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { When } from '../../ui/when.tsx'
import { type Administrator, nameOf } from '../administrators/administrator.ts'
import { SIBLINGS } from '../administrators/siblings.ts'
import { useChange } from '../changes.ts'
import { To, useAddress, useGo } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'
import { SiblingTabs } from '../resource/sibling-tabs.tsx'
import { CreateKey } from './create-key.tsx'

const LIMIT = 100

const scopesOf = ({ apiKeyHash }: Administrator): string => {
  const scopes = apiKeyHash?.scopes
  if (!scopes) return 'All of the role'
  return scopes.length === 1 ? scopes[0]! : `${scopes.length} scopes`
}

function Keys({ admins }: { admins: Administrator[] }) {
  const writable = useMay().write('administrators')
  const revoke = useChange({
    run: (api, { id }: Administrator) =>
      api.management.DELETE('/users/{id}/apikey', { params: { path: { id } } }),
    touches: [['api-keys'], ['administrators']],
    done: (admin) => `Revoked the API key of ${nameOf(admin)}`,
  })
  return (
    <Table.ScrollContainer minWidth={600} type="native">
      <Table aria-label="API keys" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Key</Table.Th>
            <Table.Th>Owner</Table.Th>
            <Table.Th>May do</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Expires</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {admins.map((admin) => (
            <Table.Tr key={admin.id}>
              <Table.Td ff="monospace">{admin.apiKeyHash?.prefix}…</Table.Td>
              <Table.Td>
                <To to={`administrators/${admin.id}`}>{nameOf(admin)}</To>
              </Table.Td>
              <Table.Td title={admin.apiKeyHash?.scopes?.join(', ')}>{scopesOf(admin)}</Table.Td>
              <Table.Td>
                <When time={admin.apiKeyHash?.createdAt} />
              </Table.Td>
              <Table.Td>
                {admin.apiKeyHash?.lastUsedAt ? (
                  <When time={admin.apiKeyHash.lastUsedAt} />
                ) : (
                  'Not yet'
                )}
              </Table.Td>
              <Table.Td>
                {admin.apiKeyHash?.expireAt ? <When time={admin.apiKeyHash.expireAt} /> : 'Never'}
              </Table.Td>
              <Table.Td ta="right">
                {writable && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={`Revoke the key of ${nameOf(admin)}`}
                    onClick={() => revoke.mutate(admin)}
                  >
                    Revoke
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** One key for each administrator at most: the own one can be made here, others can be revoked. */
export function List() {
  const { name } = useOrganization()
  const go = useGo()
  const { new: creating } = useAddress()
  useDocumentTitle(`API keys · ${name} · Gatehouse`)
  const self = useRead(['api-keys', 'self'], async (api) =>
    dataOf(await api.management.GET('/users/getSelf')),
  )
  const { data, error } = useRead(['api-keys', 'list'], async (api) =>
    pageOfV1(await api.management.GET('/users', { params: { query: { limit: LIMIT } } })),
  )
  const close = () => void go('api-keys', { replace: true })
  const having = data?.rows.filter(({ apiKeySet }) => apiKeySet)
  const own = self.data?.apiKeyHash
  return (
    <>
      <Title order={1} mb="md">
        API keys
      </Title>
      <SiblingTabs siblings={SIBLINGS} />
      <Stack>
        <Section
          title="Your key"
          about={
            own ? (
              <>
                {own.prefix}…, made <When time={own.createdAt} />. A new one revokes it.
              </>
            ) : self.data?.apiKeyAllowed === false ? (
              'You may not have one: an administrator can allow it.'
            ) : (
              'None yet. A key calls the API in your name, with the rights that you give it.'
            )
          }
          action={
            self.data?.apiKeyAllowed && (
              <Button size="sm" onClick={() => void go('api-keys', { search: { new: '1' } })}>
                {own ? 'Replace key' : 'Create key'}
              </Button>
            )
          }
        >
          <Problem error={self.error} />
        </Section>
        <Section title="Keys of administrators">
          <Problem error={error} />
          {!having && !error && <Skeleton h={120} />}
          {having?.length === 0 && (
            <Text size="sm" c="dimmed">
              None.
            </Text>
          )}
          {having && having.length > 0 && <Keys admins={having} />}
        </Section>
      </Stack>
      <Modal
        opened={creating !== undefined}
        onClose={close}
        title={own ? 'Replace your API key' : 'Create an API key'}
        size="lg"
      >
        {creating !== undefined && <CreateKey close={close} replaces={own !== undefined} />}
      </Modal>
    </>
  )
}
