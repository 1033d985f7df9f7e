import { Group, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../api/organization.ts'
import { FormActions } from '../../ui/form-actions.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'
import { nameOf } from './name.ts'

interface Values {
  firstname: string
  lastname: string
  username: string
  email: string
  state: 'STAGED' | 'ACTIVATED'
}

export function CreateUser({ close }: { close: () => void }) {
  const go = useGo()
  const form = useForm<Values>({
    initialValues: { firstname: '', lastname: '', username: '', email: '', state: 'ACTIVATED' },
  })
  const create = useChange({
    run: async (api, values: Values) =>
      dataOf(await api.management.POST('/systemusers', { body: { ...values } })),
    touches: [['users']],
    done: (values) => `Added ${nameOf(values)}`,
    after: ({ id }) => {
      close()
      void go(`users/${id}`)
    },
    quiet: true,
  })
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <Group grow>
          <TextInput label="First name" data-autofocus {...form.getInputProps('firstname')} />
          <TextInput label="Last name" {...form.getInputProps('lastname')} />
        </Group>
        <TextInput label="E-mail" type="email" required {...form.getInputProps('email')} />
        <TextInput label="Username" required {...form.getInputProps('username')} />
        <Select
          label="State"
          description="An active user gets a mail to choose a password"
          size="md"
          allowDeselect={false}
          data={[
            { value: 'ACTIVATED', label: 'Active' },
            { value: 'STAGED', label: 'Staged: activate later' },
          ]}
          {...form.getInputProps('state')}
        />
        <Problem error={create.error} />
        <FormActions close={close} saving={create.isPending}>
          Add user
        </FormActions>
      </Stack>
    </form>
  )
}
