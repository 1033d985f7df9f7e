import { Checkbox, Stack, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { type Device, deviceKey } from './device.ts'

const valuesOf = (device: Device) => ({
  displayName: device.displayName ?? '',
  description: device.description ?? '',
  tags: device.tags ?? [],
  allowPublicKeyAuthentication: device.allowPublicKeyAuthentication ?? false,
  allowSshPasswordAuthentication: device.allowSshPasswordAuthentication ?? false,
  allowSshRootLogin: device.allowSshRootLogin ?? false,
  allowMultiFactorAuthentication: device.allowMultiFactorAuthentication ?? false,
})
type Values = ReturnType<typeof valuesOf>

export function SettingsTab({ device }: { device: Device }) {
  const writable = useMay().write('systems')
  const form = useForm<Values>({ initialValues: valuesOf(device) })
  const save = useChange({
    run: (api, values: Values) =>
      api.management.PUT('/systems/{id}', { params: { path: { id: device.id } }, body: values }),
    touches: [['devices']],
    done: () => 'Saved the device',
    after: (_, values) => form.resetDirty(values),
    expect: {
      key: deviceKey(device.id),
      change: (cached: Device, values) => ({ ...cached, ...values }),
    },
    quiet: true,
  })
  const flag = (name: keyof Values) => ({
    disabled: !writable,
    ...form.getInputProps(name, { type: 'checkbox' }),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
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
        <Problem error={save.error} />
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
