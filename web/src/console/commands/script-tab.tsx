import {
  Checkbox,
  Input,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { LazyScriptEditor } from '../../ui/lazy-script-editor.tsx'
import { OptionalNumber } from '../../ui/optional-number.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { useMay } from '../organization.ts'
import { showAtField } from '../show-at-field.ts'
import { type Command, ROOT, TYPES } from './command.ts'
import { RunAs } from './run-as.tsx'
import { useSave } from './save.ts'

const MAX_TIMEOUT = 86_400
const MAX_WAIT = 2_592_000

const valuesOf = (command: Command) => ({
  name: command.name ?? '',
  description: command.description ?? '',
  commandType: command.commandType ?? 'linux',
  command: command.command ?? '',
  user: command.user ?? ROOT,
  timeout: Number(command.timeout ?? 120),
  timeToLiveSeconds: command.timeToLiveSeconds ?? null,
  sudo: command.sudo ?? false,
})

export function ScriptTab({ command }: { command: Command }) {
  const writable = useMay().write('commands')
  const form = useForm({
    initialValues: valuesOf(command),
    validate: { command: (text) => (text.trim() === '' ? 'Write what to run' : null) },
  })
  const save = useSave(command, 'Saved the command', () => form.resetDirty(form.values))
  const windows = form.values.commandType === 'windows'
  const files = command.filesS3 ?? []
  const submit = form.onSubmit(({ timeout, ...values }) =>
    save.mutate(
      { ...values, timeout: String(timeout) },
      {
        onError: (error) => showAtField(form, error),
      },
    ),
  )
  return (
    <form onSubmit={submit}>
      <Stack maw={960}>
        <Input.Wrapper label="Script" labelElement="div" error={form.errors.command}>
          <LazyScriptEditor
            label="Script"
            language={windows ? 'powershell' : 'shell'}
            value={form.values.command}
            readOnly={!writable}
            onChange={(text) => form.setFieldValue('command', text)}
          />
        </Input.Wrapper>
        <Section title="How it runs">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              size="sm"
              label="Name"
              required
              withAsterisk={false}
              readOnly={!writable}
              {...form.getInputProps('name')}
            />
            <TextInput
              size="sm"
              label="Description"
              readOnly={!writable}
              {...form.getInputProps('description')}
            />
            <Select
              label="For"
              description="Other devices are left out"
              readOnly={!writable}
              allowDeselect={false}
              data={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
              {...form.getInputProps('commandType')}
            />
            {!windows && (
              <RunAs
                value={form.values.user}
                readOnly={!writable}
                onChange={(user) => form.setFieldValue('user', user)}
              />
            )}
            <NumberInput
              label="Time limit in seconds"
              description="Then the script is stopped"
              min={1}
              max={MAX_TIMEOUT}
              readOnly={!writable}
              {...form.getInputProps('timeout')}
            />
            <OptionalNumber
              label="Wait for devices, in seconds"
              description="Those that fetch it later do not run it; empty: 10 days"
              min={1}
              max={MAX_WAIT}
              readOnly={!writable}
              value={form.values.timeToLiveSeconds}
              onChange={(seconds) => form.setFieldValue('timeToLiveSeconds', seconds)}
              error={form.errors.timeToLiveSeconds}
            />
          </SimpleGrid>
          {!windows && (form.values.sudo || form.values.user !== ROOT) && (
            <Checkbox
              mt="md"
              label="Use sudo"
              description="It has the rights of root, whoever it runs as"
              disabled={!writable}
              {...form.getInputProps('sudo', { type: 'checkbox' })}
            />
          )}
        </Section>
        {files.length > 0 && (
          <Section title="Files">
            {files.map(({ objectStorageId, name, destination }) => (
              <Text key={objectStorageId} size="sm">
                {name} → {destination}
              </Text>
            ))}
          </Section>
        )}
        <Problem error={Object.keys(form.errors).length === 0 ? save.error : null} />
        {writable && (
          <SaveBar
            label="Save command"
            dirty={form.isDirty()}
            saving={save.isPending}
            discard={form.reset}
          />
        )}
      </Stack>
    </form>
  )
}
