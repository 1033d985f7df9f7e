import { Group, Paper, Stack, Text } from '@mantine/core'
import { IconAlertCircle, IconCheck, IconClock } from '@tabler/icons-react'
import type { components } from '../../../../client/index.ts'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { Tag } from '../../ui/tag.tsx'
import { When } from '../../ui/when.tsx'
import { useRead } from '../reads.ts'
import type { User } from './user.ts'

type Account = components['schemas']['UserProvisioning']

const STATES: Record<Account['state'], string> = {
  pending: 'Not there yet',
  staged: 'Waits for activation',
  provisioned: 'Provisioned',
  deactivated: 'Deactivated',
  deleted: 'Deleted',
  none: 'None',
}

const State = ({ account: { error, state, waiting } }: { account: Account }) =>
  error ? (
    <Tag tone="bad" Icon={IconAlertCircle}>
      Failing
    </Tag>
  ) : (
    <Tag tone={state === 'provisioned' ? 'good' : 'calm'} Icon={waiting ? IconClock : IconCheck}>
      {STATES[state]}
    </Tag>
  )

/** The user's accounts at the providers of applications. */
export function AccountsTab({ user }: { user: User }) {
  const { data, error } = useRead(['users', user.id, 'accounts'], async (api) =>
    dataOf(
      await api.management.GET('/v2/users/{user_id}/provisioning', {
        params: { path: { user_id: user.id } },
      }),
    ),
  )
  return (
    <Stack maw={720}>
      <Problem error={error} />
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No application of the user writes accounts to a provider.
        </Text>
      )}
      {data?.map((account) => (
        <Paper key={account.applicationId} withBorder p="md" bg="var(--gh-surface)">
          <Group justify="space-between">
            <Text size="sm" fw={600}>
              {account.application}
            </Text>
            <State account={account} />
          </Group>
          <Text size="sm" c="dimmed" component="div">
            Since <When time={account.since} />
            {account.remoteId && ` · id at the provider ${account.remoteId}`}
          </Text>
          {account.error && (
            <Text size="sm" mt={4}>
              {account.error}
              {account.parked ? ' · not tried again until something changes' : ''}
            </Text>
          )}
        </Paper>
      ))}
    </Stack>
  )
}
