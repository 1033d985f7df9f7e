import { Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { pathOf } from '../../api/error-path.ts'
import { dataOf } from '../../api/organization.ts'
import { changedValues } from '../../ui/changed-values.ts'
import type { Pair } from '../../ui/pairs-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { showAtField } from '../show-at-field.ts'
import { AttributeFields } from './attribute-fields.tsx'
import { attributesAfter, attributeValuesOf, FIELD_OF } from './attributes.ts'
import { type Group, groupKey, readGroup, replaceGroup } from './group.ts'
import type { Kind } from './kind.ts'

const valuesOf = (group: Group) => ({
  name: group.name,
  description: group.description,
  email: group.email,
  ...attributeValuesOf(group.attributes),
})
type Values = ReturnType<typeof valuesOf>
type Form = UseFormReturnType<Values>

const isPosix = ({ name, value }: Pair) => name !== '' && /^\d+$/.test(value)

function fieldOf(error: Error): string | undefined {
  const [member, attribute = ''] = pathOf(error)
  return member === 'attributes' ? FIELD_OF[attribute] : member
}

function useSave(kind: Kind, group: Group, form: Form) {
  return useChange({
    run: async (api, changes: Partial<Values>) => {
      // As it is now: clients of the API keep attributes of their own in the group.
      const now = await readGroup(kind, group.id)(api)
      const { name = now.name, description = now.description, email = now.email } = changes
      const attributes = attributesAfter(now.attributes, changes)
      return dataOf(await replaceGroup(api, kind, now, { name, description, email, attributes }))
    },
    touches: [[kind.path]],
    done: () => 'Saved the group',
    after: (saved) => {
      form.setValues(valuesOf(saved))
      form.resetDirty(valuesOf(saved))
    },
    expect: {
      key: groupKey(kind, group.id),
      change: (
        cached: Group,
        { name = cached.name, description = cached.description, email = cached.email },
      ) => ({ ...cached, name, description, email }),
    },
    quiet: true,
  })
}

export function SettingsTab({ kind, group }: { kind: Kind; group: Group }) {
  const writable = useMay().write('groups')
  const posixFixed = attributeValuesOf(group.attributes).posixGroups.length > 0
  const form = useForm<Values>({
    initialValues: valuesOf(group),
    validate: {
      posixGroups: (rows) =>
        posixFixed || rows.every(isPosix) ? null : 'Each needs a name and a whole number',
      reply: (rows) => (rows.every(({ name }) => name !== '') ? null : 'Each needs a name'),
    },
  })
  const save = useSave(kind, group, form)
  const submit = form.onSubmit((values) =>
    save.mutate(changedValues(form, values), {
      onError: (error) => showAtField(form, error, fieldOf(error)),
    }),
  )
  const field = (name: 'name' | 'description' | 'email', label: string) => (
    <TextInput
      size="sm"
      label={label}
      type={name === 'email' ? 'email' : 'text'}
      readOnly={!writable}
      {...form.getInputProps(name)}
    />
  )
  return (
    <form onSubmit={submit}>
      <Stack maw={720}>
        <Section title="About">
          <Stack gap="sm">
            {field('name', 'Name')}
            {field('description', 'Description')}
            {field('email', 'E-mail')}
          </Stack>
        </Section>
        {kind.type === 'user_group' && (
          <AttributeFields form={form} readOnly={!writable} posixFixed={posixFixed} />
        )}
        <Problem error={Object.keys(form.errors).length === 0 ? save.error : null} />
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
  )
}
