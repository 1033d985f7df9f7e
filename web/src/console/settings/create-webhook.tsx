import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'

interface Values {
  name: string
  url: string
  format: 'json' | 'ndjson'
}

const FORMATS = [
  { value: 'json', label: 'A JSON array' },
  { value: 'ndjson', label: 'One document a line' },
]

export function CreateWebhook({ close }: { close: () => void }) {
  const go = useGo()
  const form = useForm<Values>({ initialValues: { name: '', url: '', format: 'json' } })
  const create = useChange({
    run: async (api, values: Values) =>
      dataOf(await api.insights.POST('/v1/forwarders', { body: values })),
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
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        <TextInput
          label="Address"
          type="url"
          required
          placeholder="https://siem.example.com/events"
          {...form.getInputProps('url')}
        />
        <Select
          size="md"
          label="Format"
          allowDeselect={false}
          data={FORMATS}
          {...form.getInputProps('format')}
        />
        <Problem error={create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Add webhook
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
