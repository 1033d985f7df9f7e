import { Skeleton, Text } from '@mantine/core'
import { Problem } from '../../../ui/problem.tsx'
import { useAddress } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import type { Application } from '../application.ts'
import { Views } from '../views.tsx'
import { AccountsPanel } from './accounts-panel.tsx'
import { type Connection, type Put, putOf, useConnection, useDefaults } from './connection.ts'
import { ConnectionPanel } from './connection-panel.tsx'
import { GroupsPanel } from './groups-panel.tsx'
import { MappingPanel } from './mapping-panel.tsx'
import { PlanPanel } from './plan-panel.tsx'
import { StatusPanel } from './status-panel.tsx'

const VIEWS = [
  { id: 'status', label: 'Status' },
  { id: 'accounts', label: 'Accounts' },
  { id: 'groups', label: 'Groups' },
  { id: 'plan', label: 'Plan' },
  { id: 'mapping', label: 'Mapping' },
  { id: 'connection', label: 'Connection' },
]

/** The first connection, from what the template knows. */
function Connect({ application }: { application: Application }) {
  const { data, error } = useDefaults(application.id)
  if (!data) return error ? <Problem error={error} /> : <Skeleton h={320} maw={860} />
  const initial = {
    baseUrl: data.baseUrl ?? '',
    auth: { type: data.auth },
    groups: { push: data.groups },
    removalLimit: { users: 100, percent: 30 },
  } as Put
  return (
    <ConnectionPanel
      application={application}
      connection={null}
      initial={initial}
      note={
        data.note ??
        'Write an account for everybody who is bound to the application, and end it when they no longer are.'
      }
    />
  )
}

function View({ application, connection }: { application: Application; connection: Connection }) {
  const { view } = useAddress()
  if (view === 'accounts') return <AccountsPanel application={application} />
  if (view === 'groups') return <GroupsPanel application={application} />
  if (view === 'plan') return <PlanPanel application={application} />
  if (view === 'mapping') return <MappingPanel application={application} connection={connection} />
  if (view === 'connection')
    return (
      <ConnectionPanel
        application={application}
        connection={connection}
        initial={putOf(connection)}
      />
    )
  return <StatusPanel application={application} connection={connection} />
}

export function ProvisioningTab({ application }: { application: Application }) {
  const writable = useMay().provisions
  const { data, error } = useConnection(application.id)
  if (error && !data) return <Problem error={error} />
  if (data === undefined) return <Skeleton h={320} />
  if (data === null)
    return writable ? (
      <Connect application={application} />
    ) : (
      <Text c="dimmed">No accounts are written to this application.</Text>
    )
  return (
    <>
      <Views
        to={`applications/${application.id}/provisioning`}
        label="Provisioning"
        views={VIEWS.filter(({ id }) => id !== 'groups' || data.groups.push)}
      />
      <View application={application} connection={data} />
    </>
  )
}
