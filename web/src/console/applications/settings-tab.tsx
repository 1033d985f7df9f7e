import {
  Button,
  ColorSwatch,
  FileButton,
  Group,
  Input,
  Stack,
  Switch,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconCheck, IconTrash, IconUpload } from '@tabler/icons-react'
import { AppMark } from '../../ui/app-mark.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { showAtField } from '../show-at-field.ts'
import { type Application, applicationKey, type Color, nameOf, writeOf } from './application.ts'

/** Those that the API takes. */
const COLORS = {
  '#202D38': 'Slate',
  '#005466': 'Petrol',
  '#3E8696': 'Teal',
  '#006CAC': 'Blue',
  '#0617AC': 'Navy',
  '#7C6ADA': 'Violet',
  '#D5779D': 'Pink',
  '#9E2F00': 'Rust',
  '#FFB000': 'Amber',
  '#58C469': 'Green',
  '#57C49F': 'Mint',
  '#FF6C03': 'Orange',
} as const satisfies Partial<Record<Color, string>>

interface Values {
  displayLabel: string
  description: string
  learnMore: string
  ssoUrl: string
  color: Color
  active: boolean
  hidden: boolean
}

function LogoPanel({ application }: { application: Application }) {
  const writable = useMay().write('applications')
  const params = { path: { application_id: application.id } }
  const touches = [['applications']]
  const upload = useChange({
    run: (api, image: File) => {
      const form = new FormData()
      form.append('image', image)
      return api.management.POST('/v2/applications/{application_id}/logo', {
        params,
        body: { image: '' },
        bodySerializer: () => form,
      })
    },
    touches,
    done: () => 'Saved the logo',
  })
  const remove = useChange({
    run: (api) => api.management.DELETE('/v2/applications/{application_id}/logo', { params }),
    touches,
    done: () => 'Removed the logo',
  })
  return (
    <Panel title="Logo" lead="A PNG, JPEG or GIF of up to 1 MiB. Without one, the product's mark.">
      <Group>
        <AppMark
          label={nameOf(application)}
          template={application.name}
          logo={application.logo.url}
          color={application.color}
          size={4}
        />
        {writable && (
          <FileButton
            accept="image/png,image/jpeg,image/gif"
            onChange={(file) => file && upload.mutate(file)}
          >
            {(props) => (
              <Button
                {...props}
                size="sm"
                variant="default"
                loading={upload.isPending}
                leftSection={<IconUpload size={16} aria-hidden />}
              >
                Upload logo
              </Button>
            )}
          </FileButton>
        )}
        {writable && application.logo.url !== '' && (
          <Button
            size="sm"
            variant="subtle"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => remove.mutate()}
          >
            Remove logo
          </Button>
        )}
      </Group>
    </Panel>
  )
}

export function SettingsTab({ application }: { application: Application }) {
  const writable = useMay().write('applications')
  const form = useForm<Values>({
    initialValues: {
      displayLabel: application.displayLabel,
      description: application.description,
      learnMore: application.learnMore,
      ssoUrl: application.ssoUrl,
      color: application.color as Color,
      active: application.active,
      hidden: application.sso.hidden,
    },
  })
  const save = useChange({
    run: (api, { hidden, ...values }: Values) =>
      api.management.PUT('/applications/{id}', {
        params: { path: { id: application.id } },
        body: { ...writeOf(application), ...values, sso: { ...application.sso, hidden } },
      }),
    touches: [['applications']],
    done: () => 'Saved the application',
    after: (_, values) => form.resetDirty(values),
    expect: {
      key: applicationKey(application.id),
      change: (cached: Application, { hidden, ...values }) => ({
        ...cached,
        ...values,
        sso: { ...cached.sso, hidden },
      }),
    },
    quiet: true,
  })
  const submit = form.onSubmit((values) =>
    save.mutate(values, {
      onError: (error) => showAtField(form, error),
    }),
  )
  const field = (name: keyof Values, label: string, description?: string) => (
    <TextInput
      size="sm"
      label={label}
      {...(description && { description })}
      readOnly={!writable}
      {...form.getInputProps(name)}
    />
  )
  return (
    <Stack maw={760}>
      <form onSubmit={submit}>
        <Panel title="General">
          {field('displayLabel', 'Name', 'On the tile in the portal')}
          {field('description', 'Description')}
          {application.sso.type !== 'oidc' &&
            field(
              'ssoUrl',
              application.sso.type === 'bookmark' ? 'Address' : 'Sign-on address',
              application.sso.type === 'saml'
                ? 'After a change the service provider needs the new address'
                : undefined,
            )}
          {field('learnMore', 'Help for administrators', 'A link')}
          <Input.Wrapper size="sm" label="Colour" labelElement="div">
            <Group gap={6} mt={6} role="group" aria-label="Colour">
              {Object.entries(COLORS).map(([color, name]) => (
                <UnstyledButton
                  key={color}
                  aria-label={name}
                  aria-pressed={form.values.color === color}
                  disabled={!writable}
                  onClick={() =>
                    form.setFieldValue('color', form.values.color === color ? '' : (color as Color))
                  }
                >
                  <ColorSwatch color={color} size={24} component="span">
                    {form.values.color === color && (
                      <IconCheck size={14} color="#fff" aria-hidden />
                    )}
                  </ColorSwatch>
                </UnstyledButton>
              ))}
            </Group>
          </Input.Wrapper>
          <Switch
            label="Active"
            description="An inactive application lets nobody in"
            disabled={!writable}
            {...form.getInputProps('active', { type: 'checkbox' })}
          />
          <Switch
            label="Hide in the portal"
            description="People still sign in from the application itself"
            disabled={!writable}
            {...form.getInputProps('hidden', { type: 'checkbox' })}
          />
          <Problem error={Object.keys(form.errors).length === 0 ? save.error : null} />
          {writable && (
            <SaveBar
              label="Save application"
              dirty={form.isDirty()}
              saving={save.isPending}
              discard={form.reset}
            />
          )}
        </Panel>
      </form>
      <LogoPanel application={application} />
    </Stack>
  )
}
