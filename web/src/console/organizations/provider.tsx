import { Checkbox, Skeleton, Stack, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDocumentTitle } from '@mantine/hooks'
import type { components } from '../../../../client/index.ts'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { useChange } from '../changes.ts'
import { useMay, useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'
import { SiblingTabs } from '../resource/sibling-tabs.tsx'
import { SIBLINGS } from './siblings.ts'

type ProviderRecord = components['schemas']['Provider']
type Contact = { name?: string; email?: string } | null | undefined

function valuesOf({ name, contact, disallowOrgCreation }: ProviderRecord) {
  const { name: contactName = '', email: contactEmail = '' } = (contact as Contact) ?? {}
  return { name: name ?? '', contactName, contactEmail, mayAdd: !disallowOrgCreation }
}
type Values = ReturnType<typeof valuesOf>

function Form({ provider }: { provider: ProviderRecord }) {
  const writable = useMay().write('providers')
  const form = useForm<Values>({ initialValues: valuesOf(provider) })
  const save = useChange({
    run: (api, { name, contactName, contactEmail, mayAdd }: Values) =>
      api.management.PUT('/v2/providers/{provider_id}', {
        params: { path: { provider_id: provider.id } },
        body: {
          name,
          contact: { name: contactName, email: contactEmail },
          disallowOrgCreation: !mayAdd,
        },
      }),
    touches: [['provider']],
    done: () => 'Saved the provider',
    after: (_, values) => form.resetDirty(values),
    quiet: true,
  })
  const text = (name: 'name' | 'contactName' | 'contactEmail', label: string) => (
    <TextInput size="sm" label={label} readOnly={!writable} {...form.getInputProps(name)} />
  )
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack maw={720}>
        <Section title="Provider">
          <Stack gap="sm">
            {text('name', 'Name')}
            {text('contactName', 'Contact')}
            {text('contactEmail', 'E-mail of the contact')}
            <Checkbox
              label="Its administrators may add organizations"
              disabled={!writable}
              {...form.getInputProps('mayAdd', { type: 'checkbox' })}
            />
          </Stack>
        </Section>
        <Problem error={save.error} />
        {writable && (
          <SaveBar
            label="Save provider"
            dirty={form.isDirty()}
            saving={save.isPending}
            discard={form.reset}
          />
        )}
      </Stack>
    </form>
  )
}

/** The provider that manages the organizations. */
export function Provider() {
  const provider_id = useOrganization().session.providerId ?? ''
  useDocumentTitle('Provider · Gatehouse')
  const { data, error } = useRead(['provider', 'record'], async (api) =>
    dataOf(
      await api.management.GET('/v2/providers/{provider_id}', {
        params: { path: { provider_id } },
      }),
    ),
  )
  return (
    <>
      <Title order={1} mb="sm">
        Organizations
      </Title>
      <SiblingTabs siblings={SIBLINGS} />
      <Problem error={error} />
      {data ? <Form provider={data} /> : !error && <Skeleton h={200} maw={720} />}
    </>
  )
}
