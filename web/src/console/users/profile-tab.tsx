import { Paper, SimpleGrid, Stack, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { ApiError } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { Attributes } from './attributes.tsx'
import { FIELDS, fieldsOf, type Profile } from './profile-fields.ts'
import { type User, userKey } from './user.ts'

/** Only what differs is sent: others may be changing other fields. */
function changed(before: Profile, after: Profile): Partial<Profile> {
  const keys = Object.keys(after) as (keyof Profile)[]
  return Object.fromEntries(
    keys
      .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
      .map((key) => [key, after[key]]),
  )
}

export function ProfileTab({ user }: { user: User }) {
  const writable = useMay().write('users')
  const form = useForm<Profile>({ initialValues: fieldsOf(user) })
  const save = useChange({
    run: (api, values: Profile) =>
      api.management.PUT('/systemusers/{id}', {
        params: { path: { id: user.id } },
        body: changed(fieldsOf(user), values),
      }),
    touches: [['users']],
    done: () => 'Saved the profile',
    after: (_, values) => {
      form.resetDirty(values)
    },
    expect: {
      key: userKey(user.id),
      change: (cached: User, values) => ({ ...cached, ...values }),
    },
    quiet: true,
  })
  const submit = form.onSubmit((values) =>
    save.mutate(values, {
      onError: (error) => {
        if (error instanceof ApiError && error.field && error.field in values)
          form.setFieldError(error.field, error.message)
      },
    }),
  )
  const misplaced = Object.keys(form.errors).length === 0 ? save.error : null
  return (
    <form onSubmit={submit}>
      <Stack maw={920}>
        {FIELDS.map(({ title, fields }) => (
          <Paper key={title} p="lg" withBorder component="section" bg="var(--gh-surface)">
            <Title order={2} size="h5" mb="sm">
              {title}
            </Title>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
              {fields.map(({ name, label, type = 'text' }) => (
                <TextInput
                  key={name}
                  size="sm"
                  label={label}
                  type={type}
                  readOnly={!writable}
                  {...form.getInputProps(name)}
                />
              ))}
            </SimpleGrid>
          </Paper>
        ))}
        <Attributes form={form} readOnly={!writable} />
        <Problem error={misplaced} />
        {writable && (
          <SaveBar
            label="Save profile"
            dirty={form.isDirty()}
            saving={save.isPending}
            discard={form.reset}
          />
        )}
      </Stack>
    </form>
  )
}
