import { Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../api/organization.ts'
import { FormActions } from '../../ui/form-actions.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'
import { isDynamic, type Method } from './group.ts'
import { at, type Kind } from './kind.ts'
import { CHOICES } from './membership-tab.tsx'

interface Values {
  name: string
  description: string
  membershipMethod: Method
}

export function CreateGroup({ kind, close }: { kind: Kind; close: () => void }) {
  const go = useGo()
  const form = useForm<Values>({
    initialValues: { name: '', description: '', membershipMethod: 'STATIC' },
  })
  const create = useChange({
    run: async (api, body: Values) => dataOf(await api.management.POST(at(kind, ''), { body })),
    touches: [[kind.path]],
    done: ({ name }) => `Added ${name}`,
    after: (group) => {
      close()
      // The rule comes next.
      void go(`${kind.path}/${group.id}${isDynamic(group) ? '/membership' : ''}`)
    },
    quiet: true,
  })
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        <TextInput label="Description" {...form.getInputProps('description')} />
        <Select
          size="md"
          label="Members are chosen"
          allowDeselect={false}
          data={CHOICES.map(({ value, label }) => ({ value, label }))}
          {...form.getInputProps('membershipMethod')}
        />
        <Problem error={create.error} />
        <FormActions close={close} saving={create.isPending}>
          Add group
        </FormActions>
      </Stack>
    </form>
  )
}
