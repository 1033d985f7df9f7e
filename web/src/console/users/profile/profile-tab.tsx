import { MultiSelect, SimpleGrid, Stack } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { changedValues } from '../../../ui/changed-values.ts'
import { Problem } from '../../../ui/problem.tsx'
import { RowsField } from '../../../ui/rows-field.tsx'
import { SaveBar } from '../../../ui/save-bar.tsx'
import { Section } from '../../../ui/section.tsx'
import { useChange } from '../../changes.ts'
import { useMay } from '../../organization.ts'
import { showAtField } from '../../show-at-field.ts'
import { type User, userKey } from '../user.ts'
import { ProfileField } from './field.tsx'
import {
  CONTACT,
  EMPLOYMENT,
  type FieldGroup,
  MANAGED,
  OTHER,
  OWNABLE_FIELDS,
  PERSON,
  RIGHTS,
} from './fields.ts'
import { ManagerField } from './manager-field.tsx'
import { bodyOf, type Profile, profileOf } from './values.ts'

interface Props {
  form: UseFormReturnType<Profile>
  user: User
  readOnly: boolean
}

/** Who owns the fields that are not changed here, as long as the form does not lift that. */
function ownersOf({ user, form }: Pick<Props, 'user' | 'form'>): Map<string, string> {
  const kept = (user.restrictedFields ?? []).filter(({ field }) =>
    form.values.restrictedFields.includes(field),
  )
  return new Map(kept.map(({ field, type }) => [field, type ?? 'another directory']))
}

function Fields({ group, children, ...rest }: Props & { group: FieldGroup; children?: ReactNode }) {
  const owners = ownersOf(rest)
  const { form, readOnly } = rest
  return (
    <Section title={group.title}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {group.fields.map((field) => (
          <ProfileField
            key={field.name}
            field={field}
            form={form}
            readOnly={readOnly}
            owner={owners.get(field.name)}
          />
        ))}
        {children}
      </SimpleGrid>
    </Section>
  )
}

function Lists({ lists, ...rest }: Props & { lists: typeof CONTACT }) {
  const owners = ownersOf(rest)
  const { form, readOnly } = rest
  return lists.map(({ path, title, about, ...list }) => (
    <Section key={path} title={title} about={about}>
      <RowsField
        {...list}
        readOnly={readOnly || owners.has(path)}
        value={form.values[path]}
        error={form.errors[path]}
        onChange={(rows) => form.setFieldValue(path, rows)}
      />
    </Section>
  ))
}

export function ProfileTab({ user }: { user: User }) {
  const writable = useMay().write('users')
  const form = useForm<Profile>({ initialValues: profileOf(user) })
  const change = (values: Profile) => bodyOf(user, changedValues(form, values))
  const save = useChange({
    run: (api, values: Profile) =>
      api.management.PUT('/systemusers/{id}', {
        params: { path: { id: user.id } },
        body: change(values),
      }),
    touches: [['users']],
    done: () => 'Saved the profile',
    after: (_, values) => form.resetDirty(values),
    expect: {
      key: userKey(user.id),
      change: (cached: User, values) => ({ ...cached, ...change(values) }),
    },
    quiet: true,
  })
  const submit = form.onSubmit((values) =>
    save.mutate(values, {
      onError: (error) => showAtField(form, error),
    }),
  )
  const misplaced = Object.keys(form.errors).length === 0 ? save.error : null
  const common = { form, user, readOnly: !writable }
  return (
    <form onSubmit={submit}>
      <Stack maw={920}>
        {PERSON.map((group) => (
          <Fields key={group.title} group={group} {...common} />
        ))}
        <Fields group={EMPLOYMENT} {...common}>
          <ManagerField
            value={form.values.manager}
            error={form.errors.manager}
            readOnly={!writable}
            onChange={(id) => form.setFieldValue('manager', id)}
          />
        </Fields>
        <Lists lists={CONTACT} {...common} />
        {RIGHTS.map((group) => (
          <Fields key={group.title} group={group} {...common} />
        ))}
        <Fields group={MANAGED} {...common}>
          <MultiSelect
            size="sm"
            label="Fields that are changed only there"
            readOnly={!writable}
            searchable
            data={OWNABLE_FIELDS}
            {...form.getInputProps('restrictedFields')}
          />
        </Fields>
        <Lists lists={OTHER} {...common} />
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
