import { Alert, Group, Skeleton, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { dataOf } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { To } from '../../link.tsx'
import { useRead } from '../../reads.ts'
import type { Application } from '../application.ts'
import classes from '../mapping/mapping.module.css'
import { keyOf } from './connection.ts'

const ACTIONS = {
  create: { label: 'Create', tone: 'good' },
  update: { label: 'Update', tone: 'calm' },
  deactivate: { label: 'Deactivate', tone: 'warn' },
  delete: { label: 'Delete', tone: 'bad' },
} as const

const EXISTING = {
  adopted: 'The account that the provider has already is taken over.',
  parked: 'The provider has an account with this name: it waits until you compare and adopt.',
} as const

/** What a run would do, before anything is sent. */
export function PlanPanel({ application }: { application: Application }) {
  const { data, error } = useRead([...keyOf(application.id), 'plan'], async (api) =>
    dataOf(
      await api.management.GET('/v2/applications/{application_id}/provisioning/plan', {
        params: { path: { application_id: application.id } },
      }),
    ),
  )
  if (!data && !error) return <Skeleton h={200} />
  return (
    <Panel title="Plan" lead="What would be written now; nothing has been sent.">
      <Problem error={error} />
      {data && (
        <Group gap="lg">
          {Object.entries(data.users).map(([name, count]) => (
            <Text key={name} size="sm">
              <b>{count}</b> {name}
            </Text>
          ))}
        </Group>
      )}
      {data?.heldForConfirmation && (
        <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          The removals are more than the limit: they will wait for your confirmation.
        </Alert>
      )}
      {data?.results.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing to write.
        </Text>
      )}
      {data && data.results.length > 0 && (
        <div className={classes.scroll}>
          <table className={classes.table} aria-label="Plan">
            <thead className={classes.head}>
              <tr>
                <th scope="col">User</th>
                <th scope="col">Action</th>
                <th scope="col">Attributes</th>
              </tr>
            </thead>
            <tbody>
              {data.results.map(({ userId, username, action, changes, problems, existing }) => (
                <tr key={userId}>
                  <th scope="row">
                    <To to={`users/${userId}`}>{username}</To>
                  </th>
                  <td>
                    <Tag tone={ACTIONS[action].tone}>{ACTIONS[action].label}</Tag>
                  </td>
                  <td>
                    {changes.join(', ')}
                    {existing && (
                      <Text
                        size="sm"
                        c={existing === 'parked' ? 'var(--mantine-color-error)' : 'dimmed'}
                      >
                        {EXISTING[existing]}
                      </Text>
                    )}
                    {problems.map((problem) => (
                      <Text key={problem} size="sm" c="var(--mantine-color-error)">
                        {problem}
                      </Text>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
