import { Checkbox, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { When } from '../../ui/when.tsx'
import { useChange } from '../changes.ts'
import { To } from '../link.tsx'
import { useMay } from '../organization.ts'
import type { Administrator } from './administrator.ts'
import { RoleField } from './role-field.tsx'

const valuesOf = (admin: Administrator) => ({
  firstname: admin.firstname ?? '',
  lastname: admin.lastname ?? '',
  email: admin.email ?? '',
  role: admin.role ?? '',
  enableMultiFactor: admin.enableMultiFactor ?? false,
  apiKeyAllowed: admin.apiKeyAllowed ?? false,
})
type Values = ReturnType<typeof valuesOf>

export function ProfileTab({ admin }: { admin: Administrator }) {
  const writable = useMay().write('administrators')
  const form = useForm<Values>({ initialValues: valuesOf(admin) })
  const save = useChange({
    run: (api, values: Values) => {
      const before = valuesOf(admin)
      const changed = Object.entries(values).filter(([name, value]) => {
        return before[name as keyof Values] !== value
      })
      return api.management.PUT('/users/{id}', {
        params: { path: { id: admin.id } },
        body: Object.fromEntries(changed),
      })
    },
    touches: [['administrators']],
    done: () => 'Saved the administrator',
    after: (_, values) => {
      form.resetDirty(values)
    },
    quiet: true,
  })
  const flag = (name: 'enableMultiFactor' | 'apiKeyAllowed') => ({
    disabled: !writable,
    ...form.getInputProps(name, { type: 'checkbox' }),
  })
  const key = admin.apiKeyHash
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack maw={860}>
        <Section title="Person">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              size="sm"
              label="First name"
              readOnly={!writable}
              {...form.getInputProps('firstname')}
            />
            <TextInput
              size="sm"
              label="Last name"
              readOnly={!writable}
              {...form.getInputProps('lastname')}
            />
            <TextInput
              size="sm"
              type="email"
              label="E-mail"
              readOnly={!writable}
              {...form.getInputProps('email')}
            />
            <RoleField readOnly={!writable} {...form.getInputProps('role')} />
          </SimpleGrid>
        </Section>
        <Section title="Sign-in">
          <Stack gap="sm">
            <Checkbox label="Require a second factor" {...flag('enableMultiFactor')} />
            <Checkbox label="May have an API key" {...flag('apiKeyAllowed')} />
            <Facts
              items={[
                { label: 'Password chosen', aside: <When time={admin.passwordUpdatedAt} /> },
                { label: 'Second factor', aside: <When time={admin.totpUpdatedAt} /> },
                { label: 'Sessions', aside: String(admin.sessionCount ?? 0) },
                {
                  label: 'API key',
                  aside: key && <To to="api-keys">{key.prefix}…</To>,
                },
                { label: 'Added', aside: <When time={admin.created} /> },
              ]}
            />
          </Stack>
        </Section>
        <Problem error={save.error} />
        {writable && (
          <SaveBar
            label="Save administrator"
            dirty={form.isDirty()}
            saving={save.isPending}
            discard={form.reset}
          />
        )}
      </Stack>
    </form>
  )
}
