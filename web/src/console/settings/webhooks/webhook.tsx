import { Button, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import type { Api } from '../../../api/organization.ts'
import { dataOf } from '../../../api/organization.ts'
import { Confirm, type Question } from '../../../ui/confirm.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Section } from '../../../ui/section.tsx'
import { instantOf, ZONE } from '../../../ui/time.ts'
import { When } from '../../../ui/when.tsx'
import { useChange } from '../../changes.ts'
import { To, useGo } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import { useRead } from '../../reads.ts'
import pageClasses from '../../resource/page.module.css'
import { lagOf } from './lag.ts'
import { bodyOf, type Hook, valuesOf } from './webhook-fields.tsx'
import { WebhookSettings } from './webhook-settings.tsx'
import { WebhookTag } from './webhook-tag.tsx'

const POLL_MS = 5000

const readHook = (id: string) => async (api: Api) =>
  dataOf(await api.insights.GET('/v1/forwarders/{id}', { params: { path: { id } } }))

function Deliveries({ id }: { id: string }) {
  const { data, error } = useRead(
    ['webhooks', id, 'deliveries'],
    async (api) =>
      dataOf(
        await api.insights.GET('/v1/forwarders/{id}/deliveries', { params: { path: { id } } }),
      ),
    { every: () => POLL_MS },
  )
  return (
    <Section title="Deliveries" about="The last 200 attempts, newest first.">
      <Problem error={error} />
      {data?.results.length === 0 && (
        <Text size="sm" c="dimmed">
          None yet.
        </Text>
      )}
      {data && data.results.length > 0 && (
        <Table aria-label="Deliveries" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Time</Table.Th>
              <Table.Th>Events</Table.Th>
              <Table.Th>Answer</Table.Th>
              <Table.Th>Took</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.results.map((each) => (
              <Table.Tr key={`${each.webhook_id} ${each.time}`}>
                <Table.Td>
                  <When time={each.time} />
                </Table.Td>
                <Table.Td>{each.count}</Table.Td>
                <Table.Td>{each.error ?? each.http_status}</Table.Td>
                <Table.Td>{each.duration_ms} ms</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}

/** Sends events again from a moment on, or skips to it. */
function Replay({ hook }: { hook: Hook }) {
  const [from, setFrom] = useState('')
  const replay = useChange({
    run: (api) =>
      api.insights.POST('/v1/forwarders/{id}/replay', {
        params: { path: { id: hook.id } },
        body: { from: instantOf(from) },
      }),
    touches: [['webhooks']],
    done: () => 'Events are sent from that moment on',
    after: () => setFrom(''),
    quiet: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    replay.mutate()
  }
  return (
    <Section title="Replay" about="Sends all events since a moment again.">
      <form onSubmit={submit}>
        <Group align="flex-end">
          <TextInput
            size="sm"
            type="datetime-local"
            label={`Since, in ${ZONE}`}
            required
            withAsterisk={false}
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <Button size="sm" variant="default" type="submit" loading={replay.isPending}>
            Replay events
          </Button>
        </Group>
        <Problem error={replay.error} />
      </form>
    </Section>
  )
}

function HookPage({ hook }: { hook: Hook }) {
  const writable = useMay().write('insights')
  const go = useGo()
  const [question, ask] = useState<Question | null>(null)
  const params = { path: { id: hook.id } }
  const touches = [['webhooks']]
  const test = useChange({
    run: async (api) => dataOf(await api.insights.POST('/v1/forwarders/{id}/test', { params })),
    touches,
    done: (_, { delivered, http_status, error }) =>
      delivered ? `Delivered: ${http_status}` : `Not delivered: ${error ?? http_status}`,
  })
  const enable = useChange({
    run: (api, enabled: boolean) =>
      api.insights.PUT('/v1/forwarders/{id}', {
        params,
        body: { ...bodyOf(valuesOf(hook)), enabled },
      }),
    touches,
    done: (enabled) => (enabled ? 'Resumed the webhook' : 'Paused the webhook'),
  })
  const remove = useChange({
    run: (api) => api.insights.DELETE('/v1/forwarders/{id}', { params }),
    touches,
    done: () => `Deleted ${hook.name}`,
    after: () => void go('settings/webhooks'),
  })
  return (
    <Stack maw={960}>
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2} size="h3">
            {hook.name}
          </Title>
          <WebhookTag status={hook.status} />
        </Group>
        {writable && (
          <Group gap="xs">
            <Button
              size="sm"
              variant="default"
              loading={test.isPending}
              onClick={() => test.mutate()}
            >
              Send a test event
            </Button>
            <Button size="sm" variant="default" onClick={() => enable.mutate(!hook.enabled)}>
              {hook.enabled ? 'Pause webhook' : 'Resume webhook'}
            </Button>
            <Button
              size="sm"
              variant="default"
              c="var(--mantine-color-error)"
              onClick={() =>
                ask({
                  title: `Delete ${hook.name}?`,
                  text: 'Events that are not sent yet are not sent any more. This cannot be undone.',
                  action: 'Delete webhook',
                  run: () => remove.mutate(),
                })
              }
            >
              Delete webhook
            </Button>
          </Group>
        )}
      </Group>
      <Section title="State">
        <Facts
          items={[
            { label: 'Address', aside: hook.url },
            { label: 'Services', aside: hook.service.join(', ') },
            { label: 'Events', aside: valuesOf(hook).query || 'all' },
            { label: 'Last success', aside: <When time={hook.last_success} /> },
            { label: 'Sent up to', aside: <When time={hook.delivered_to} /> },
            { label: 'Behind', aside: lagOf(hook.lag_seconds) },
            { label: 'Last error', aside: hook.last_error },
            { label: 'Next attempt', aside: <When time={hook.next_attempt} /> },
          ]}
        />
      </Section>
      {writable && <Replay hook={hook} />}
      {writable && <WebhookSettings hook={hook} />}
      <Deliveries id={hook.id} />
      <Confirm question={question} close={() => ask(null)} />
    </Stack>
  )
}

export function Webhook({ id }: { id: string }) {
  const { data, error } = useRead(['webhooks', id, 'record'], readHook(id), {
    every: () => POLL_MS,
  })
  return (
    <>
      <To to="settings/webhooks" className={pageClasses.back}>
        <IconChevronLeft size={16} aria-hidden />
        Webhooks
      </To>
      {data ? <HookPage hook={data} /> : <Problem error={error} />}
    </>
  )
}
