import {
  Anchor,
  Button,
  Group,
  Paper,
  SegmentedControl,
  Skeleton,
  Stack,
  Stepper,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconChevronLeft } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { dataOf } from '../../api/organization.ts'
import { ApiError } from '../../api/session.ts'
import { AppMark } from '../../ui/app-mark.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { To, useAddress, useGo } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'
import page from '../resource/page.module.css'
import { MetadataField, metadataBody, NO_METADATA } from './metadata-field.tsx'
import { configOf, entriesOf, linesOf, settingError, valuesOf } from './settings.ts'
import { SettingsFields } from './settings-fields.tsx'
import { readTemplate, type Template } from './template.ts'

/** Sign-on addresses are the same for all organizations, so the name of this one goes first. */
const slugOf = (organization: string, template: string) =>
  `${organization} ${template}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')

interface Made {
  id: string
  secret?: { clientId: string; clientSecret: string; issuer: string }
}

/** The client secret of a new application is shown only here. */
function Secret({ made }: { made: Made }) {
  return (
    <Stack>
      <Text>Give these to the application. The secret is not shown again.</Text>
      <Facts
        items={[
          { label: 'Issuer', value: made.secret?.issuer ?? '' },
          { label: 'Client id', value: made.secret?.clientId ?? '' },
          { label: 'Client secret', value: made.secret?.clientSecret ?? '' },
        ]}
      />
      <div>
        <Button
          size="sm"
          component="a"
          renderRoot={(props) => <To {...props} to={`applications/${made.id}/access`} />}
        >
          Continue to access
        </Button>
      </div>
    </Stack>
  )
}

function Form({ template }: { template: Template }) {
  const { name: organization } = useOrganization()
  const go = useGo()
  const { step = 'name' } = useAddress()
  const type = template.sso.type
  const prefix = template.ssoUrl.slice(0, -template.name.length)
  const [label, setLabel] = useState(template.displayLabel)
  const [description, setDescription] = useState(template.description)
  const [slug, setSlug] = useState(slugOf(organization, template.name))
  const [url, setUrl] = useState('')
  const [values, setValues] = useState(() => valuesOf(template.config))
  const [way, setWay] = useState<'hand' | 'metadata'>('hand')
  const [metadata, setMetadata] = useState(NO_METADATA)
  const show = (step: string) =>
    void go(`applications/catalogue/${template.name}`, step === 'name' ? {} : { search: { step } })

  const create = useChange({
    run: async (api): Promise<Made> => {
      const ssoUrl = type === 'saml' ? `${prefix}${slug}` : type === 'bookmark' ? url : ''
      const { id } = dataOf(
        await api.management.POST('/applications', {
          body: {
            name: template.name,
            displayLabel: label,
            displayName: template.displayName,
            description,
            active: true,
            ssoUrl,
            config: type === 'saml' ? configOf(values) : {},
          },
        }),
      )
      const path = { application_id: id }
      try {
        if (type === 'saml' && way === 'metadata')
          await api.management.POST('/v2/applications/{application_id}/spmetadata', {
            params: { path },
            body: metadataBody(metadata),
          })
        if (type !== 'oidc') return { id }
        const { oidc } = dataOf(
          await api.management.POST('/v2/applications/{application_id}/sso', {
            params: { path },
            body: { oidc: { redirectUris: linesOf(url) } },
          }),
        )
        return { id, secret: { ...oidc, clientSecret: oidc.clientSecret ?? '' } }
      } catch (error) {
        // All or nothing: what was typed is still in the form.
        await api.management.DELETE('/applications/{id}', { params: { path: { id } } })
        throw error
      }
    },
    touches: [['applications'], ['home']],
    done: () => `Added ${label}`,
    after: ({ id, secret }) => {
      if (!secret) void go(`applications/${id}`)
    },
    quiet: true,
  })
  if (create.data?.secret) return <Secret made={create.data} />

  const field = create.error instanceof ApiError ? create.error.field : undefined
  const atName = field === 'ssoUrl' && type === 'saml' && step !== 'name'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (step === 'name') show('settings')
    else create.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stepper
        size="sm"
        active={step === 'name' ? 1 : 2}
        onStepClick={(at) =>
          at === 0 ? void go('applications/catalogue') : show(at === 1 ? 'name' : 'settings')
        }
      >
        <Stepper.Step label="Choose" description={template.displayName} />
        <Stepper.Step label="Name" description="What people see" />
        <Stepper.Step label="Connect" description="Settings of the service" />
      </Stepper>
      <Paper p="lg" mt="md" withBorder bg="var(--gh-surface)">
        <Stack>
          {step === 'name' ? (
            <>
              <TextInput
                size="sm"
                label="Name"
                description="On the tile in the portal"
                required
                data-autofocus
                value={label}
                onChange={(event) => setLabel(event.currentTarget.value)}
              />
              <TextInput
                size="sm"
                label="Description"
                value={description}
                onChange={(event) => setDescription(event.currentTarget.value)}
              />
              {type === 'saml' && (
                <TextInput
                  size="sm"
                  label="Sign-on address"
                  description={`${prefix}${slug}`}
                  required
                  error={field === 'ssoUrl' ? create.error?.message : undefined}
                  value={slug}
                  onChange={(event) => setSlug(event.currentTarget.value)}
                />
              )}
            </>
          ) : type === 'bookmark' ? (
            <TextInput
              size="sm"
              type="url"
              label="Address"
              placeholder="https://wiki.example.com/"
              required
              error={field === 'ssoUrl' ? create.error?.message : undefined}
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
            />
          ) : type === 'oidc' ? (
            <Textarea
              size="sm"
              label="Redirect URIs"
              description="One in each line; compared character by character"
              placeholder="https://app.example.com/callback"
              autosize
              minRows={2}
              required
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
            />
          ) : (
            <>
              <SegmentedControl
                size="sm"
                aria-label="Where the settings come from"
                value={way}
                onChange={(value) => setWay(value as typeof way)}
                data={[
                  { value: 'hand', label: 'Fill in' },
                  { value: 'metadata', label: 'Read from metadata' },
                ]}
              />
              {way === 'metadata' ? (
                <MetadataField value={metadata} onChange={setMetadata} />
              ) : (
                <SettingsFields
                  entries={entriesOf(template.config)}
                  values={values}
                  set={(name, value) => setValues({ ...values, [name]: value })}
                  order={2}
                  error={create.error}
                />
              )}
            </>
          )}
          {!(settingError(create.error) && way === 'hand') && <Problem error={create.error} />}
          <Group justify="space-between">
            <Button
              size="sm"
              variant="default"
              onClick={() => (step === 'name' ? void go('applications/catalogue') : show('name'))}
            >
              Back
            </Button>
            <Button size="sm" type="submit" loading={create.isPending}>
              {step === 'name' ? 'Continue' : 'Add application'}
            </Button>
          </Group>
          {atName && (
            <Text size="sm">
              <To to={`applications/catalogue/${template.name}`}>Change the sign-on address</To>
            </Text>
          )}
        </Stack>
      </Paper>
    </form>
  )
}

/** The second and third step to an application: its name, and how it is connected. */
export function Create({ template }: { template: string }) {
  const { name } = useOrganization()
  const { data, error } = useRead(['applications', 'template', template], readTemplate(template))
  useDocumentTitle(`Add ${data?.displayName ?? 'application'} · ${name} · Gatehouse`)
  return (
    <Stack maw={760}>
      <div>
        <To to="applications/catalogue" className={page.back}>
          <IconChevronLeft size={16} aria-hidden />
          Catalogue
        </To>
        <Group gap="md">
          {data && <AppMark label={data.displayName} template={data.name} size={3.25} />}
          <Title order={1}>{data ? `Add ${data.displayName}` : 'Add application'}</Title>
        </Group>
        {data?.learnMore && (
          <Text size="sm" c="dimmed" mt="xs">
            <Anchor inherit href={data.learnMore} target="_blank" rel="noopener noreferrer">
              How {data.displayName} is set up for single sign-on
            </Anchor>
          </Text>
        )}
      </div>
      <Problem error={error} />
      {data ? <Form key={data.name} template={data} /> : !error && <Skeleton h={280} />}
    </Stack>
  )
}
