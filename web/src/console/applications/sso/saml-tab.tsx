import { Alert, Button, Group, SimpleGrid, Stack } from '@mantine/core'
import { IconAlertTriangle, IconDownload, IconExternalLink } from '@tabler/icons-react'
import { dataOf } from '../../../api/organization.ts'
import { Facts } from '../../../ui/facts.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useOrganization } from '../../organization.ts'
import { useRead } from '../../reads.ts'
import type { Application } from '../application.ts'
import { Expiry } from '../expiry.tsx'
import { entriesOf, hasPlaceholder, valuesOf } from '../settings.ts'
import { Attempts } from './attempts.tsx'
import { CertificatesPanel, useCertificates } from './certificates.tsx'
import { ProviderPanel } from './provider-panel.tsx'

/** What the metadata says about us: exactly what the service provider reads. */
function addressesIn(xml: string) {
  const document = new DOMParser().parseFromString(xml, 'application/xml')
  const location = (name: string) =>
    document.getElementsByTagNameNS('*', name)[0]?.getAttribute('Location') ?? ''
  const signOn = location('SingleSignOnService')
  return {
    entityId: document.documentElement.getAttribute('entityID') ?? '',
    signOn,
    logout: location('SingleLogoutService'),
    metadata: signOn && `${signOn}/metadata`,
  }
}

const missingIn = ({ config }: Application): string[] => {
  const values = valuesOf(config)
  return entriesOf(config)
    .filter(({ name, required }) => required && (!values[name] || hasPlaceholder(values[name])))
    .map(({ label }) => label)
}

/** What the service provider needs to know of us. */
function OurSide({ application }: { application: Application }) {
  const { id: organization } = useOrganization()
  const path = { id: organization, application_id: application.id }
  const { data, error } = useRead(['applications', application.id, 'metadata'], async (api) =>
    addressesIn(
      dataOf(
        await api.management.GET('/organizations/{id}/applications/{application_id}/metadata.xml', {
          params: { path },
          parseAs: 'text',
        }),
      ),
    ),
  )
  const certificates = useCertificates(application)
  const current = certificates.data?.find(({ role }) => role === 'current')
  const file = `/api/organizations/${organization}/applications/${application.id}/metadata.xml`
  return (
    <Panel
      title="Give this to the service provider"
      lead="The metadata holds everything; services that do not read it ask for the parts."
      action={
        <Group gap="xs">
          <Button
            size="sm"
            variant="default"
            component="a"
            href={file}
            download
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            Download metadata
          </Button>
          {data?.signOn && (
            <Button
              size="sm"
              component="a"
              href={data.signOn}
              target="_blank"
              rel="noopener"
              leftSection={<IconExternalLink size={16} aria-hidden />}
            >
              Test sign-in
            </Button>
          )}
        </Group>
      }
    >
      <Problem error={error ?? certificates.error} />
      <Facts
        items={[
          { label: 'Metadata URL', value: data?.metadata },
          { label: 'Entity ID of the IdP', value: data?.entityId },
          { label: 'Sign-on URL', value: data?.signOn },
          { label: 'Logout URL', value: data?.logout },
          { label: 'Certificate (SHA-256)', value: current?.fingerprint },
          { label: 'Certificate expires', aside: <Expiry time={current?.notAfter} /> },
        ]}
      />
    </Panel>
  )
}

export function SamlTab({ application }: { application: Application }) {
  const missing = missingIn(application)
  return (
    <Stack maw={1240}>
      {missing.length > 0 && (
        <Alert
          color="orange"
          variant="light"
          icon={<IconAlertTriangle aria-hidden />}
          title="Not connected yet"
        >
          The service provider's settings lack: {missing.join(', ')}. Fill them in below, or read
          them from its metadata.
        </Alert>
      )}
      <OurSide application={application} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <ProviderPanel application={application} />
        <Stack>
          <CertificatesPanel application={application} />
          <Attempts application={application} />
        </Stack>
      </SimpleGrid>
    </Stack>
  )
}
