import { Paper, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { type Group, groupKey, replaceGroup } from './group.ts'
import type { Kind } from './kind.ts'

interface Values {
  name: string
  description: string
  email: string
}

export function SettingsTab({ kind, group }: { kind: Kind; group: Group }) {
  const writable = useMay().write('groups')
  const form = useForm<Values>({
    initialValues: { name: group.name, description: group.description, email: group.email },
  })
  const save = useChange({
    run: (api, values: Values) => replaceGroup(api, kind, group, values),
    touches: [[kind.path]],
    done: () => 'Saved the group',
    after: (_, values) => form.resetDirty(values),
    expect: {
      key: groupKey(kind, group.id),
      change: (cached: Group, values) => ({ ...cached, ...values }),
    },
    quiet: true,
  })
  return (
    <Paper p="lg" withBorder maw={720} bg="var(--gh-surface)">
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          <TextInput size="sm" label="Name" readOnly={!writable} {...form.getInputProps('name')} />
          <TextInput
            size="sm"
            label="Description"
            readOnly={!writable}
            {...form.getInputProps('description')}
          />
          <TextInput
            size="sm"
            label="E-mail"
            type="email"
            readOnly={!writable}
            {...form.getInputProps('email')}
          />
          <Problem error={save.error} />
          {writable && (
            <SaveBar
              label="Save group"
              dirty={form.isDirty()}
              saving={save.isPending}
              discard={form.reset}
            />
          )}
        </Stack>
      </form>
    </Paper>
  )
}
