import { Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { dataOf } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useChange } from '../../changes.ts'
import { useMay } from '../../organization.ts'
import { Picker } from '../../resource/picker.tsx'
import { findUsers } from '../../users/find.ts'
import { EMPLOYMENT, PERSON } from '../../users/profile/fields.ts'
import type { Application } from '../application.ts'
import { EditMapping } from '../mapping/edit-mapping.tsx'
import { RuleResults } from '../mapping/rule-results.tsx'
import type { Mapping } from '../mapping/rules.ts'
import { type Connection, keyOf, put, putOf } from './connection.ts'

const USER_FIELDS = [...PERSON, EMPLOYMENT].flatMap(({ fields }) => fields.map(({ name }) => name))

interface Props {
  application: Application
  connection: Connection
}

/** From a user to the account, tried on a real user before it is saved. */
export function MappingPanel({ application, connection }: Props) {
  const writable = useMay().provisions
  const [mapping, setMapping] = useState<Mapping | null>(connection.mapping)
  const preview = useChange({
    run: async (api, user: { id: string; name: string }) =>
      dataOf(
        await api.management.POST('/v2/applications/{application_id}/provisioning/preview', {
          params: { path: { application_id: application.id } },
          body: { userId: user.id, ...(mapping && { mapping }) },
        }),
      ),
    touches: [],
    quiet: true,
  })
  return (
    <Stack maw={1100}>
      <EditMapping
        writable={writable}
        lead="How attributes of a user become the account at the provider."
        columns={['Attribute of the account', 'From the user']}
        suggestions={USER_FIELDS}
        stored={connection.mapping}
        mapping={mapping}
        onChange={setMapping}
        save={(api, mapping) => put(application.id)(api, { ...putOf(connection), mapping })}
        touches={keyOf(application.id)}
      />
      <Panel
        title="Preview"
        lead="What the mapping above makes of a user; nothing is saved or sent."
      >
        <Picker
          label="Try it on"
          kind="users"
          find={findUsers}
          pick={(user) => preview.mutate(user)}
        />
        <Problem error={preview.error} />
        {preview.data && (
          <>
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {preview.variables?.name}
              </Text>
            </Group>
            {preview.data.problems.map((problem) => (
              <Text key={problem} size="sm" c="var(--mantine-color-error)">
                {problem}
              </Text>
            ))}
            <RuleResults rows={preview.data.rows} label="What each rule makes of the user" />
          </>
        )}
      </Panel>
    </Stack>
  )
}
