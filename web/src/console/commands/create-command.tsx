import { Group, Input, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../api/organization.ts'
import { FormActions } from '../../ui/form-actions.tsx'
import { LazyScriptEditor } from '../../ui/lazy-script-editor.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'
import { TYPES } from './command.ts'

interface Values {
  name: string
  commandType: keyof typeof TYPES
  command: string
}

export function CreateCommand({ close }: { close: () => void }) {
  const go = useGo()
  const form = useForm<Values>({
    initialValues: { name: '', commandType: 'linux', command: '' },
    validate: { command: (text) => (text.trim() === '' ? 'Write what to run' : null) },
  })
  const create = useChange({
    run: async (api, values: Values) =>
      dataOf(await api.management.POST('/commands', { body: { ...values } })),
    touches: [['commands']],
    done: ({ name }) => `Added ${name}`,
    after: ({ id }) => {
      close()
      void go(`commands/${id}/targets`)
    },
    quiet: true,
  })
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <Group align="flex-end">
          <TextInput
            flex={1}
            label="Name"
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Select
            size="md"
            w={140}
            label="For"
            allowDeselect={false}
            data={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('commandType')}
          />
        </Group>
        <Input.Wrapper label="Script" labelElement="div" error={form.errors.command}>
          <LazyScriptEditor
            label="Script"
            language={form.values.commandType === 'windows' ? 'powershell' : 'shell'}
            value={form.values.command}
            onChange={(text) => form.setFieldValue('command', text)}
          />
        </Input.Wrapper>
        <Problem error={create.error} />
        <FormActions close={close} saving={create.isPending}>
          Add command
        </FormActions>
      </Stack>
    </form>
  )
}
