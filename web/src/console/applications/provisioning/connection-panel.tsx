import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useChange } from '../../changes.ts'
import { useGo } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import { Advanced } from '../advanced.tsx'
import type { Application } from '../application.ts'
import { type Auth, AuthField } from '../auth-field.tsx'
import { RemoveButton } from '../remove-button.tsx'
import { type Connection, keyOf, type Put, put, putOf } from './connection.ts'
import { LimitFields } from './limit-fields.tsx'
import { RuleFields } from './rule-fields.tsx'
import { TestConnection } from './test-connection.tsx'

interface Props {
  application: Application
  /** Absent: the first one is being made. */
  connection: Connection | null
  initial: Put
  note?: string | null
}

function Remove({ application }: { application: Application }) {
  const go = useGo()
  const remove = useChange({
    run: (api) =>
      api.management.DELETE('/v2/applications/{application_id}/provisioning', {
        params: { path: { application_id: application.id } },
      }),
    touches: [keyOf(application.id)],
    done: () => 'Deleted the connection; accounts stay as they are',
    after: () => void go(`applications/${application.id}/provisioning`),
  })
  return (
    <RemoveButton
      title="Delete the connection?"
      text="Its secret, its mapping and what we know of the accounts are lost. The accounts at the provider stay as they are."
      action="Delete connection"
      run={() => remove.mutate()}
    />
  )
}

/** Where accounts are written, and by which rules. */
export function ConnectionPanel({ application, connection, initial, note }: Props) {
  const writable = useMay().provisions
  const go = useGo()
  const [values, setValues] = useState(initial)
  const set = (part: Partial<Put>) => setValues({ ...values, ...part })
  const save = useChange({
    run: (api) => put(application.id)(api, values),
    touches: [keyOf(application.id)],
    done: () => 'Saved the connection',
    after: (saved) => {
      setValues(putOf(saved))
      if (!connection) void go(`applications/${application.id}/provisioning`)
    },
    quiet: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Stack maw={860}>
      <form onSubmit={submit}>
        <Panel
          title="Connection"
          lead={note ?? 'The SCIM 2.0 service of the application, and how we sign in there.'}
        >
          <TextInput
            size="sm"
            label="Base URL"
            placeholder="https://example.com/scim/v2"
            required
            readOnly={!writable}
            value={values.baseUrl}
            onChange={(event) => set({ baseUrl: event.currentTarget.value })}
          />
          <AuthField
            kinds={['bearer', 'basic', 'header', 'oauth']}
            value={values.auth}
            onChange={(auth) => set({ auth: auth as Exclude<Auth, { type: 'none' }> })}
            stored={connection?.auth.type as Auth['type'] | undefined}
            readOnly={!writable}
          />
          <RuleFields values={values} set={set} readOnly={!writable} />
          <Advanced opened={!writable}>
            <LimitFields
              value={values.limits}
              onChange={(limits) => set({ limits })}
              readOnly={!writable}
            />
          </Advanced>
          <Problem error={save.error} />
          {writable && (
            <Group justify="space-between">
              <Button size="sm" type="submit" loading={save.isPending}>
                {connection ? 'Save connection' : 'Connect'}
              </Button>
              {connection && <Remove application={application} />}
            </Group>
          )}
        </Panel>
      </form>
      {connection && writable && <TestConnection application={application} />}
    </Stack>
  )
}
