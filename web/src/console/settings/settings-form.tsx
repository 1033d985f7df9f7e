import { Checkbox, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { useChange } from '../changes.ts'
import { useMay, useOrganization } from '../organization.ts'
import { OWNABLE_FIELDS } from '../users/profile/fields.ts'
import type { Field, FieldGroup } from './fields.ts'
import { useSettings } from './use-settings.ts'

type Tree = Record<string, unknown>
type Value = string | number | boolean | { field: string }[]
type Values = Record<string, Value>

const at = (tree: Tree, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Tree | undefined)?.[name], tree)

function put(tree: Tree, path: string, value: Value): void {
  const names = path.split('.')
  const last = names.pop()!
  let part = tree
  for (const name of names) {
    part[name] ??= {}
    part = part[name] as Tree
  }
  part[last] = value
}

interface FieldProps {
  field: Field
  value: unknown
  readOnly: boolean
  onChange: (value: Value) => void
}

function SettingField({ field, value, readOnly, onChange }: FieldProps) {
  const { label, kind } = field
  switch (kind) {
    case 'flag':
      return (
        <Checkbox
          label={label}
          disabled={readOnly}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'number':
      return (
        <NumberInput
          label={label}
          w={320}
          readOnly={readOnly}
          {...(field.min !== undefined && { min: field.min })}
          {...(field.max !== undefined && { max: field.max })}
          value={typeof value === 'number' ? value : ''}
          onChange={(next) => typeof next === 'number' && onChange(next)}
        />
      )
    case 'choice':
      return (
        <Select
          label={label}
          w={320}
          readOnly={readOnly}
          allowDeselect={false}
          data={field.options ?? []}
          value={String(value ?? '')}
          onChange={(next) => next !== null && onChange(next)}
        />
      )
    case 'user-fields': {
      const owned = (value ?? []) as { field: string }[]
      return (
        <MultiSelect
          label={label}
          maw={480}
          readOnly={readOnly}
          searchable
          data={OWNABLE_FIELDS}
          value={owned.map((each) => each.field)}
          // Who owns a field stays as it is.
          onChange={(names) =>
            onChange(
              names.map((name) => owned.find((each) => each.field === name) ?? { field: name }),
            )
          }
        />
      )
    }
    default:
      return (
        <TextInput
          size="sm"
          maw={480}
          type={kind}
          label={label}
          readOnly={readOnly}
          value={String(value ?? '')}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
  }
}

/** Settings of the organization, from their declaration. Only what differs is sent. */
export function SettingsForm({ groups }: { groups: FieldGroup[] }) {
  const { id } = useOrganization()
  const may = useMay()
  const writable = may.write('organizations')
  const [changed, setChanged] = useState<Values>({})
  const { data, error } = useSettings()
  const save = useChange({
    run: (api, values: Values) => {
      const settings: Tree = {}
      for (const [path, value] of Object.entries(values)) put(settings, path, value)
      return api.management.PUT('/organizations/{id}', {
        params: { path: { id } },
        body: { settings },
      })
    },
    touches: [['settings'], ['organization']],
    done: () => 'Saved the settings',
    after: () => setChanged({}),
    quiet: true,
  })
  if (!data) return <Problem error={error} />
  const settings = (data.settings ?? {}) as Tree
  const valueAt = (path: string) => changed[path] ?? at(settings, path)
  const set = (path: string, value: Value) => {
    const { [path]: _, ...others } = changed
    setChanged(at(settings, path) === value ? others : { ...others, [path]: value })
  }
  /** A field that depends on a flag is shown while that one is shown and set. */
  const isShown = (fields: Field[], when: string | undefined): boolean =>
    when === undefined ||
    (valueAt(when) === true && isShown(fields, fields.find(({ path }) => path === when)?.when))
  const isFixed = ({ path, scope }: Field) =>
    !writable ||
    (scope !== undefined && !may.write(scope)) ||
    (ruled && path.startsWith('passwordPolicy.'))
  const ruled = valueAt('passwordCompliance') !== 'custom'
  const dirty = Object.keys(changed).length > 0
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(changed)
      }}
    >
      <Stack maw={760}>
        {groups.map(({ title, about, fields }) => (
          <Section key={title} title={title} about={about}>
            <Stack gap="sm">
              {fields
                .filter(({ when }) => isShown(fields, when))
                .map((field) => (
                  <SettingField
                    key={field.path}
                    field={field}
                    value={valueAt(field.path) ?? field.initial}
                    readOnly={isFixed(field)}
                    onChange={(value) => set(field.path, value)}
                  />
                ))}
            </Stack>
          </Section>
        ))}
        <Problem error={save.error} />
        {writable && (
          <SaveBar
            label="Save settings"
            dirty={dirty}
            saving={save.isPending}
            discard={() => setChanged({})}
          />
        )}
      </Stack>
    </form>
  )
}
