import { Text } from '@mantine/core'
import type { components } from '../../../../../client/index.ts'
import { pageOfV2 } from '../../../api/organization.ts'
import { counted } from '../../../ui/number.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useChange } from '../../changes.ts'
import { useMay } from '../../organization.ts'
import { useRead } from '../../reads.ts'
import { Pager, usePage } from '../../resource/pager.tsx'
import type { Application } from '../application.ts'
import { IDLE_MS, keyOf, WORKING_MS } from './connection.ts'
import { WrittenTable } from './written-table.tsx'

type Group = components['schemas']['ProvisionedGroup']

const LIMIT = 100
const STATES: Record<Group['state'], string> = {
  pending: 'Not there yet',
  provisioned: 'Written',
  deleted: 'Deleted',
  none: 'Nothing written',
}

/** The groups that are pushed to the provider; failures first. */
export function GroupsPanel({ application }: { application: Application }) {
  const writable = useMay().write('applications')
  const page = usePage(LIMIT)
  const { data, error } = useRead(
    [...keyOf(application.id), 'groups', page.skip],
    async (api) =>
      pageOfV2(
        await api.management.GET('/v2/applications/{application_id}/provisioning/groups', {
          params: { path: { application_id: application.id }, query: page },
        }),
      ),
    { every: (page) => (page?.rows.some(({ waiting }) => waiting) ? WORKING_MS : IDLE_MS) },
  )
  const retry = useChange({
    run: (api, { groupId }: Group) =>
      api.management.POST(
        '/v2/applications/{application_id}/provisioning/groups/{group_id}/retry',
        { params: { path: { application_id: application.id, group_id: groupId } } },
      ),
    touches: [keyOf(application.id)],
    done: ({ name }) => `Trying ${name} again`,
  })
  return (
    <Panel title="Groups" lead={data && counted(data.total, 'group')}>
      <Problem error={error} />
      {data?.rows.length === 0 && (
        <Text size="sm" c="dimmed">
          None. Groups that are bound to the application are written with their members.
        </Text>
      )}
      {data && data.rows.length > 0 && (
        <WrittenTable
          label="Groups"
          of="Group"
          rows={data.rows.map((group) => ({
            ...group,
            id: group.groupId,
            to: `groups/${group.groupId}`,
            shown: STATES[group.state],
          }))}
          retry={writable ? (group) => retry.mutate(group) : undefined}
        />
      )}
      {data && (
        <Pager to={`applications/${application.id}/provisioning`} size={LIMIT} total={data.total} />
      )}
    </Panel>
  )
}
