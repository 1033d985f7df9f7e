import { Button, Paper, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { type Group, groupKey } from './group.ts'

interface Values {
  name: string
  description: string
  email: string
}

export function SettingsTab({ group }: { group: Group }) {
  const writable = useMay().write('groups')
  const form = useForm<Values>({
    initialValues: { name: group.name, description: group.description, email: group.email },
  })
  const save = useChange({
    // The API replaces the group, so what the form does not show is sent back.
    run: (api, values: Values) =>
      api.management.PUT('/v2/usergroups/{id}', {
        params: { path: { id: group.id } },
        body: {
          ...values,
          attributes: group.attributes,
          membershipMethod: group.membershipMethod,
          memberSuggestionsNotify: group.memberSuggestionsNotify,
          memberQueryExemptions: group.memberQueryExemptions.map(({ id, type }) => ({ id, type })),
          ...(group.memberQuery && { memberQuery: group.memberQuery }),
        },
      }),
    touches: [['groups']],
    done: () => 'Saved the group',
    after: (_, values) => form.resetDirty(values),
    expect: {
      key: groupKey(group.id),
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
            <div>
              <Button size="sm" type="submit" disabled={!form.isDirty()} loading={save.isPending}>
                Save group
              </Button>
            </div>
          )}
        </Stack>
      </form>
    </Paper>
  )
}
