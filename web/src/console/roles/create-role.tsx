import { Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../api/organization.ts'
import { FormActions } from '../../ui/form-actions.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'
import type { Role } from './role.ts'

interface Values {
  name: string
  description: string
  like: string
}

/** Starts with the scopes of another role; its page changes them. */
export function CreateRole({ roles, close }: { roles: Role[]; close: () => void }) {
  const go = useGo()
  const form = useForm<Values>({
    initialValues: { name: '', description: '', like: '000000000000000000000005' },
  })
  const create = useChange({
    run: async (api, { like, ...values }: Values) =>
      dataOf(
        await api.management.POST('/v2/roles', {
          body: { ...values, scopes: roles.find(({ id }) => id === like)?.scopes ?? [] },
        }),
      ),
    touches: [['roles']],
    done: ({ name }) => `Added ${name}`,
    after: ({ id }) => void go(`roles/${id}`),
    quiet: true,
  })
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        <TextInput label="Description" {...form.getInputProps('description')} />
        <Select
          size="md"
          label="Start with what this role may do"
          allowDeselect={false}
          data={roles.map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps('like')}
        />
        <Problem error={create.error} />
        <FormActions close={close} saving={create.isPending}>
          Add role
        </FormActions>
      </Stack>
    </form>
  )
}
