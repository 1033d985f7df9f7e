import { Group, Select, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { pageOfV2 } from '../../../api/organization.ts'
import { counted } from '../../../ui/number.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useChange } from '../../changes.ts'
import { useAddress, useGo } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import { useRead } from '../../reads.ts'
import { Pager, usePage } from '../../resource/pager.tsx'
import { useSearchField } from '../../resource/use-search.ts'
import type { Application } from '../application.ts'
import { type Account, IDLE_MS, keyOf, WORKING_MS } from './connection.ts'
import { WrittenTable } from './written-table.tsx'

const LIMIT = 100

const STATES: Record<Account['state'], string> = {
  pending: 'Not there yet',
  staged: 'Waits for the activation of the user',
  provisioned: 'Has the account',
  deactivated: 'Deactivated',
  deleted: 'Deleted',
  none: 'Nothing written',
}

const FILTERS = [
  { value: '', label: 'All accounts' },
  { value: 'parked', label: 'Gave up' },
  { value: 'waiting', label: 'Being written' },
  ...Object.entries(STATES).map(([value, label]) => ({ value, label })),
]

function filterOf(state: string, search: string) {
  const filter =
    state === 'parked'
      ? { parked: true }
      : state === 'waiting'
        ? { waiting: true }
        : state
          ? { state: state as Account['state'] }
          : {}
  return { ...filter, ...(search && { search }) }
}

/** Each user's account at the provider; failures first. */
export function AccountsPanel({ application }: { application: Application }) {
  const writable = useMay().write('applications')
  const go = useGo()
  const { state = '', q = '' } = useAddress()
  const show = (state: string, q: string) =>
    void go(`applications/${application.id}/provisioning`, {
      search: { view: 'accounts', ...(state && { state }), ...(q && { q }) },
      replace: true,
    })
  const page = usePage(LIMIT)
  const [search, setSearch] = useSearchField(q, (text) => show(state, text))
  const { data, error } = useRead(
    [...keyOf(application.id), 'accounts', state, q, page.skip],
    async (api) =>
      pageOfV2(
        await api.management.GET('/v2/applications/{application_id}/provisioning/users', {
          params: {
            path: { application_id: application.id },
            query: { ...page, ...filterOf(state, q) },
          },
        }),
      ),
    {
      placeholderData: (previous) => previous,
      every: (page) => (page?.rows.some(({ waiting }) => waiting) ? WORKING_MS : IDLE_MS),
    },
  )
  const retry = useChange({
    run: (api, account: Account) =>
      api.management.POST('/v2/applications/{application_id}/provisioning/users/{user_id}/retry', {
        params: { path: { application_id: application.id, user_id: account.userId } },
      }),
    touches: [keyOf(application.id)],
    done: ({ username }) => `Trying ${username} again`,
  })
  return (
    <Panel
      title="Accounts"
      lead={data && counted(data.total, 'account')}
      action={
        <Group gap="xs">
          <TextInput
            size="sm"
            aria-label="Search accounts"
            placeholder="Search"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <Select
            size="sm"
            aria-label="Which accounts"
            allowDeselect={false}
            data={FILTERS}
            value={state}
            onChange={(value) => show(value ?? '', q)}
          />
        </Group>
      }
    >
      <Problem error={error} />
      {data?.rows.length === 0 && (
        <Text size="sm" c="dimmed">
          None. Accounts follow the users who are bound to the application.
        </Text>
      )}
      {data && data.rows.length > 0 && (
        <WrittenTable
          label="Accounts"
          of="User"
          rows={data.rows.map((account) => ({
            ...account,
            id: account.userId,
            // The first attempt learns the username.
            name: account.username || account.userId,
            to: `users/${account.userId}`,
            shown: STATES[account.state],
          }))}
          retry={writable ? (account) => retry.mutate(account) : undefined}
        />
      )}
      {data && (
        <Pager to={`applications/${application.id}/provisioning`} size={LIMIT} total={data.total} />
      )}
    </Panel>
  )
}
