import { Checkbox, Stack, TagsInput, Textarea, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { changedValues } from '../../ui/changed-values.ts'
import { PairsField } from '../../ui/pairs-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { ObjectSelect } from '../resource/object-select.tsx'
import { showAtField } from '../show-at-field.ts'
import { findUsers } from '../users/find.ts'
import { type Device, deviceKey } from './device.ts'

const valuesOf = (device: Device) => ({
  displayName: device.displayName ?? '',
  description: device.description ?? '',
  tags: device.tags ?? [],
  primarySystemUser: device.primarySystemUser?.id ?? null,
  attributes: device.attributes ?? [],
  allowPublicKeyAuthentication: device.allowPublicKeyAuthentication ?? false,
  allowSshPasswordAuthentication: device.allowSshPasswordAuthentication ?? false,
  allowSshRootLogin: device.allowSshRootLogin ?? false,
  allowMultiFactorAuthentication: device.allowMultiFactorAuthentication ?? false,
})
type Values = ReturnType<typeof valuesOf>

/** As the API takes and returns them. */
const membersOf = ({ primarySystemUser: id, ...values }: Partial<Values>) => ({
  ...values,
  ...(id !== undefined && { primarySystemUser: { id } }),
})

function useSave(device: Device, form: UseFormReturnType<Values>) {
  return useChange({
    run: (api, changes: Partial<Values>) =>
      api.management.PUT('/systems/{id}', {
        params: { path: { id: device.id } },
        body: membersOf(changes),
      }),
    touches: [['devices']],
    done: () => 'Saved the device',
    after: () => form.resetDirty(),
    expect: {
      key: deviceKey(device.id),
      change: (cached: Device, changes) => ({ ...cached, ...membersOf(changes) }),
    },
    quiet: true,
  })
}

export function SettingsTab({ device }: { device: Device }) {
  const writable = useMay().write('systems')
  const form = useForm<Values>({
    initialValues: valuesOf(device),
    validate: {
      attributes: (rows) => (rows.every(({ name }) => name !== '') ? null : 'Each needs a name'),
    },
  })
  const save = useSave(device, form)
  const submit = form.onSubmit((values) =>
    save.mutate(changedValues(form, values), {
      onError: (error) => showAtField(form, error),
    }),
  )
  const flag = (name: keyof Values) => ({
    disabled: !writable,
    ...form.getInputProps(name, { type: 'checkbox' }),
  })
  return (
    <form onSubmit={submit}>
      <Stack maw={720}>
        <Section title="About">
          <Stack gap="sm">
            <TextInput
              size="sm"
              label="Display name"
              readOnly={!writable}
              {...form.getInputProps('displayName')}
            />
            <Textarea
              label="Description"
              autosize
              minRows={2}
              readOnly={!writable}
              {...form.getInputProps('description')}
            />
            <TagsInput label="Tags" readOnly={!writable} {...form.getInputProps('tags')} />
            <ObjectSelect
              label="Primary user"
              description="Whose device it is; it gives no access"
              type="user"
              kind="users"
              find={findUsers}
              clearable
              value={form.values.primarySystemUser}
              readOnly={!writable}
              onChange={(id) => form.setFieldValue('primarySystemUser', id)}
              error={form.errors.primarySystemUser}
            />
          </Stack>
        </Section>
        <Section title="Sign-in by SSH">
          <Stack gap="sm">
            <Checkbox label="With public keys" {...flag('allowPublicKeyAuthentication')} />
            <Checkbox label="With passwords" {...flag('allowSshPasswordAuthentication')} />
            <Checkbox label="As root" {...flag('allowSshRootLogin')} />
            <Checkbox label="With a second factor" {...flag('allowMultiFactorAuthentication')} />
          </Stack>
        </Section>
        <Section title="Custom attributes" about="Rules of device groups can use them.">
          <PairsField
            label="Attributes"
            columns={['Name', 'Value']}
            row="attribute"
            readOnly={!writable}
            {...form.getInputProps('attributes')}
            value={form.values.attributes}
          />
        </Section>
        <Problem error={Object.keys(form.errors).length === 0 ? save.error : null} />
        {writable && (
          <SaveBar
            label="Save device"
            dirty={form.isDirty()}
            saving={save.isPending}
            discard={form.reset}
          />
        )}
      </Stack>
    </form>
  )
}
