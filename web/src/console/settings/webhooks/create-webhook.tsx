import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../../api/organization.ts'
import { FormActions } from '../../../ui/form-actions.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { ShownOnce } from '../../../ui/shown-once.tsx'
import { useChange } from '../../changes.ts'
import { useGo } from '../../link.tsx'
import { bodyOf, NEW, type Values, validate, WebhookFields } from './webhook-fields.tsx'

export function CreateWebhook({ close }: { close: () => void }) {
  const go = useGo()
  const form = useForm<Values>({ initialValues: NEW, validate })
  const create = useChange({
    run: async (api, values: Values) =>
      dataOf(await api.insights.POST('/v1/forwarders', { body: bodyOf(values) })),
    touches: [['webhooks'], ['home']],
    quiet: true,
  })
  const made = create.data
  if (made)
    return (
      <ShownOnce
        what="The secret that signs the requests"
        secret={made.secret ?? ''}
        done={() => {
          close()
          void go(`settings/webhooks/${made.id}`)
        }}
      />
    )
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <WebhookFields form={form} />
        <Problem error={create.error} />
        <FormActions close={close} saving={create.isPending}>
          Add webhook
        </FormActions>
      </Stack>
    </form>
  )
}
