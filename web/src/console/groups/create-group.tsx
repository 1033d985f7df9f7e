import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'

interface Values {
  name: string
  description: string
}

export function CreateGroup({ close }: { close: () => void }) {
  const go = useGo()
  const form = useForm<Values>({ initialValues: { name: '', description: '' } })
  const create = useChange({
    run: async (api, values: Values) =>
      dataOf(
        await api.management.POST('/v2/usergroups', {
          body: { ...values, membershipMethod: 'STATIC' },
        }),
      ),
    touches: [['groups']],
    done: ({ name }) => `Added ${name}`,
    after: ({ id }) => {
      close()
      void go(`groups/${id}`)
    },
    quiet: true,
  })
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        <TextInput label="Description" {...form.getInputProps('description')} />
        <Problem error={create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Add group
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
