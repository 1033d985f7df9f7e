import { Button, Group, Modal, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../../api/organization.ts'
import { Problem } from '../../../ui/problem.tsx'
import { Section } from '../../../ui/section.tsx'
import { ShownOnce } from '../../../ui/shown-once.tsx'
import { useChange } from '../../changes.ts'
import {
  bodyOf,
  type Hook,
  type Values,
  validate,
  valuesOf,
  WebhookFields,
} from './webhook-fields.tsx'

/** Where it sends, what it sends, and the secret that signs it. */
export function WebhookSettings({ hook }: { hook: Hook }) {
  const form = useForm<Values>({ initialValues: valuesOf(hook), validate })
  const params = { path: { id: hook.id } }
  const save = useChange({
    run: (api, values: Values) =>
      api.insights.PUT('/v1/forwarders/{id}', {
        params,
        body: { ...bodyOf(values), enabled: hook.enabled },
      }),
    touches: [['webhooks'], ['home']],
    done: () => 'Saved the webhook',
    after: () => form.resetDirty(),
    quiet: true,
  })
  const renew = useChange({
    run: async (api) =>
      dataOf(
        await api.insights.PUT('/v1/forwarders/{id}', {
          params,
          body: { ...bodyOf(valuesOf(hook)), enabled: hook.enabled, secret: null },
        }),
      ),
    touches: [['webhooks']],
  })
  return (
    <Section title="Settings" about="After a new secret, the previous one also signs for a day.">
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack maw={560}>
          <WebhookFields form={form} />
          <Problem error={save.error} />
          <Group>
            <Button type="submit" size="sm" disabled={!form.isDirty()} loading={save.isPending}>
              Save webhook
            </Button>
            <Button
              size="sm"
              variant="default"
              loading={renew.isPending}
              onClick={() => renew.mutate()}
            >
              New secret
            </Button>
          </Group>
        </Stack>
      </form>
      <Modal opened={renew.data !== undefined} onClose={renew.reset} title="New secret">
        <ShownOnce
          what="The secret that signs the requests"
          secret={renew.data?.secret ?? ''}
          done={renew.reset}
        />
      </Modal>
    </Section>
  )
}
