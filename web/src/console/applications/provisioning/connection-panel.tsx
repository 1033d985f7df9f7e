import {
  Button,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { IconAlertCircle, IconCheck, IconPlugConnected } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { dataOf } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useChange } from '../../changes.ts'
import { useGo } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import { Advanced } from '../advanced.tsx'
import type { Application } from '../application.ts'
import { type Auth, AuthField } from '../auth-field.tsx'
import { RemoveButton } from '../remove-button.tsx'
import { type Connection, keyOf, type Put, put, putOf } from './connection.ts'
import { LimitFields } from './limit-fields.tsx'

interface Props {
  application: Application
  /** Absent: the first one is being made. */
  connection: Connection | null
  initial: Put
  note?: string | null
}

const ACTIONS = {
  deactivate: 'Deactivate the account',
  delete: 'Delete the account',
  delete_after: 'Deactivate, and delete after some days',
}

function Test({ application }: { application: Application }) {
  const test = useChange({
    run: async (api, write: boolean) =>
      dataOf(
        await api.management.POST('/v2/applications/{application_id}/provisioning/test', {
          params: { path: { application_id: application.id }, query: { write } },
        }),
      ),
    touches: [],
    quiet: true,
  })
  return (
    <Panel
      title="Test"
      lead="Reads from the provider; the thorough one also makes a test user and deletes it again."
      action={
        <Group gap="xs">
          <Button
            size="sm"
            variant="default"
            leftSection={<IconPlugConnected size={16} aria-hidden />}
            loading={test.isPending && !test.variables}
            onClick={() => test.mutate(false)}
          >
            Test connection
          </Button>
          <Button
            size="sm"
            variant="default"
            loading={test.isPending && test.variables === true}
            onClick={() => test.mutate(true)}
          >
            Test writing
          </Button>
        </Group>
      }
    >
      <Problem error={test.error} />
      <Stack gap={6} role="status">
        {test.data?.steps.map(({ name, ok, ms, message }) => (
          <Group key={name} gap="xs" wrap="nowrap" align="flex-start">
            <Tag tone={ok ? 'good' : 'bad'} Icon={ok ? IconCheck : IconAlertCircle}>
              {ok ? 'Works' : 'Fails'}
            </Tag>
            <Text size="sm">
              <b>{name}</b>: {message}{' '}
              <Text span c="dimmed">
                {ms} ms
              </Text>
            </Text>
          </Group>
        ))}
      </Stack>
    </Panel>
  )
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
  const writable = useMay().write('applications')
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
  const { deprovision = { action: 'deactivate' as const }, removalLimit } = values
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
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Select
              size="sm"
              label="When access ends"
              allowDeselect={false}
              readOnly={!writable}
              data={Object.entries(ACTIONS).map(([value, label]) => ({ value, label }))}
              value={deprovision.action}
              onChange={(action) =>
                set({
                  deprovision: {
                    action: action as keyof typeof ACTIONS,
                    ...(action === 'delete_after' && { days: 30 }),
                  },
                })
              }
            />
            {deprovision.action === 'delete_after' && (
              <NumberInput
                size="sm"
                label="Delete after"
                suffix=" days"
                min={1}
                readOnly={!writable}
                value={deprovision.days ?? 30}
                onChange={(days) => set({ deprovision: { ...deprovision, days: Number(days) } })}
              />
            )}
            <NumberInput
              size="sm"
              label="Removals at once without asking"
              description="More of them wait for your confirmation"
              min={0}
              readOnly={!writable}
              value={removalLimit?.users ?? ''}
              onChange={(users) =>
                set({
                  removalLimit: { ...removalLimit, users: users === '' ? null : Number(users) },
                })
              }
            />
            <NumberInput
              size="sm"
              label="Access should end within"
              description="A removal that takes longer is reported"
              suffix=" seconds"
              min={1}
              readOnly={!writable}
              value={values.deprovisionTargetSeconds ?? 300}
              onChange={(seconds) => set({ deprovisionTargetSeconds: Number(seconds) })}
            />
            <NumberInput
              size="sm"
              label="Compare with the provider every"
              description="Empty: only when asked"
              suffix=" hours"
              min={1}
              max={720}
              readOnly={!writable}
              value={values.reconcile?.everyHours ?? ''}
              onChange={(hours) =>
                set({
                  reconcile: {
                    ...values.reconcile,
                    everyHours: hours === '' ? null : Number(hours),
                  },
                })
              }
            />
          </SimpleGrid>
          <Switch
            label="Push bound groups too"
            disabled={!writable}
            checked={values.groups?.push ?? false}
            onChange={(event) =>
              set({ groups: { ...values.groups, push: event.currentTarget.checked } })
            }
          />
          <Switch
            label="Only plan"
            description="Nothing is written to the provider"
            disabled={!writable}
            checked={values.dryRun ?? false}
            onChange={(event) => set({ dryRun: event.currentTarget.checked })}
          />
          <Switch
            label="Refuse sign-on until the account exists"
            disabled={!writable}
            checked={values.requireProvisioned ?? false}
            onChange={(event) => set({ requireProvisioned: event.currentTarget.checked })}
          />
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
      {connection && writable && <Test application={application} />}
    </Stack>
  )
}
