import {
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconExternalLink, IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import type { components } from '../../../../../client/index.ts'
import { type Api, dataOf } from '../../../api/organization.ts'
import { Facts } from '../../../ui/facts.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { SaveBar } from '../../../ui/save-bar.tsx'
import { useChange } from '../../changes.ts'
import { useMay } from '../../organization.ts'
import { useRead } from '../../reads.ts'
import { type Application, orNull } from '../application.ts'
import { linesOf } from '../settings.ts'
import { Attempts } from './attempts.tsx'

type Settings = components['schemas']['ApplicationOidc']
type Oidc = Settings['oidc']

interface Values {
  redirectUris: string
  refresh: boolean
  tokenEndpointAuthMethod: Oidc['tokenEndpointAuthMethod']
  accessTokenLifespan: number
  ssoUrl: string
  postLogoutRedirectUris: string
  backchannelLogoutUri: string
  frontchannelLogoutUri: string
  subjectType: Oidc['subjectType']
}

const METHODS: Record<Oidc['tokenEndpointAuthMethod'], string> = {
  client_secret_basic: 'Secret in the Authorization header',
  client_secret_post: 'Secret in the body',
  none: 'None: a public client with PKCE',
}

const SUBJECTS: Record<Oidc['subjectType'], string> = {
  pairwise: 'Pairwise: another one in each application',
  public: 'Public: the id of the user, the same everywhere',
}

const valuesOf = (oidc: Oidc | undefined): Values => ({
  redirectUris: oidc?.redirectUris.join('\n') ?? '',
  refresh: oidc?.grantTypes.includes('refresh_token') ?? false,
  tokenEndpointAuthMethod: oidc?.tokenEndpointAuthMethod ?? 'client_secret_basic',
  accessTokenLifespan: oidc?.accessTokenLifespan ?? 3600,
  ssoUrl: oidc?.ssoUrl ?? '',
  postLogoutRedirectUris: oidc?.postLogoutRedirectUris.join('\n') ?? '',
  backchannelLogoutUri: oidc?.backchannelLogoutUri ?? '',
  frontchannelLogoutUri: oidc?.frontchannelLogoutUri ?? '',
  subjectType: oidc?.subjectType ?? 'pairwise',
})

/** All of them: a write replaces the settings. */
const bodyOf = (values: Values) => ({
  redirectUris: linesOf(values.redirectUris),
  grantTypes: [
    'authorization_code' as const,
    ...(values.refresh ? ['refresh_token' as const] : []),
  ],
  tokenEndpointAuthMethod: values.tokenEndpointAuthMethod,
  accessTokenLifespan: values.accessTokenLifespan,
  ssoUrl: values.ssoUrl,
  postLogoutRedirectUris: linesOf(values.postLogoutRedirectUris),
  backchannelLogoutUri: values.backchannelLogoutUri,
  frontchannelLogoutUri: values.frontchannelLogoutUri,
  subjectType: values.subjectType,
})

const settingsKey = (id: string) => ['applications', id, 'oidc']

function ClientPanel({ application, oidc }: { application: Application; oidc: Oidc | undefined }) {
  const writable = useMay().write('applications')
  const [secret, setSecret] = useState('')
  const form = useForm<Values>({ initialValues: valuesOf(oidc) })
  const params = { path: { application_id: application.id } }
  const path = '/v2/applications/{application_id}/sso'
  const write = async (api: Api, body: ReturnType<typeof bodyOf> & { newClientSecret?: boolean }) =>
    dataOf(
      oidc
        ? await api.management.PUT(path, { params, body: { oidc: body } })
        : await api.management.POST(path, { params, body: { oidc: body } }),
    )
  const touches = [['applications', application.id]]
  const after = (saved: Settings) => setSecret(saved.oidc.clientSecret ?? '')
  const save = useChange({
    run: (api, values: Values) => write(api, bodyOf(values)),
    touches,
    done: () => 'Saved the settings',
    after: (saved, values) => {
      form.resetDirty(values)
      after(saved)
    },
    quiet: true,
  })
  const renew = useChange({
    run: (api) => write(api, { ...bodyOf(valuesOf(oidc)), newClientSecret: true }),
    touches,
    done: () => 'Made a new secret; the old one no longer works',
    after,
  })
  return (
    <Panel
      title="Client"
      lead="What the application may ask for."
      action={
        writable &&
        oidc && (
          <Button
            size="sm"
            variant="default"
            leftSection={<IconKey size={16} aria-hidden />}
            onClick={() => renew.mutate()}
          >
            New secret
          </Button>
        )
      }
    >
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          <Textarea
            size="sm"
            label="Redirect URIs"
            description="One in each line; https, or http on a loopback host"
            autosize
            minRows={2}
            required
            readOnly={!writable}
            {...form.getInputProps('redirectUris')}
          />
          <TextInput
            size="sm"
            type="url"
            label="Start address"
            description="Where the portal opens the application; empty: the origin of the first redirect URI"
            readOnly={!writable}
            {...form.getInputProps('ssoUrl')}
          />
          <Select
            size="sm"
            label="Client authentication"
            allowDeselect={false}
            readOnly={!writable}
            data={Object.entries(METHODS).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('tokenEndpointAuthMethod')}
          />
          <NumberInput
            size="sm"
            label="Access tokens live"
            suffix=" seconds"
            min={60}
            max={86_400}
            readOnly={!writable}
            {...form.getInputProps('accessTokenLifespan')}
          />
          <Checkbox
            size="sm"
            label="Refresh tokens"
            description="The application stays signed in while the session in the portal lasts"
            disabled={!writable}
            {...form.getInputProps('refresh', { type: 'checkbox' })}
          />
          <Select
            size="sm"
            label="Subjects"
            description="After a change the application no longer recognizes its users"
            allowDeselect={false}
            readOnly={!writable}
            data={Object.entries(SUBJECTS).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('subjectType')}
          />
          <Textarea
            size="sm"
            label="Post-logout redirect URIs"
            description="Where the application may send people after signing out; one in each line"
            autosize
            readOnly={!writable}
            {...form.getInputProps('postLogoutRedirectUris')}
          />
          <TextInput
            size="sm"
            type="url"
            label="Back-channel logout URI"
            description="Receives a logout token from us when a session ends"
            readOnly={!writable}
            {...form.getInputProps('backchannelLogoutUri')}
          />
          <TextInput
            size="sm"
            type="url"
            label="Front-channel logout URI"
            description="Opened in a frame when people sign out; used if there is no back channel"
            readOnly={!writable}
            {...form.getInputProps('frontchannelLogoutUri')}
          />
          <Problem error={save.error} />
          {writable && (
            <SaveBar
              label="Save settings"
              dirty={form.isDirty()}
              saving={save.isPending}
              discard={form.reset}
            />
          )}
        </Stack>
      </form>
      <Modal opened={secret !== ''} onClose={() => setSecret('')} title="The client secret">
        <Stack>
          <Text size="sm">Give it to the application now: it is not shown again.</Text>
          <Facts items={[{ label: 'Client secret', value: secret }]} />
        </Stack>
      </Modal>
    </Panel>
  )
}

export function OidcTab({ application }: { application: Application }) {
  const { data, error } = useRead(settingsKey(application.id), (api) =>
    orNull(
      api.management
        .GET('/v2/applications/{application_id}/sso', {
          params: { path: { application_id: application.id } },
        })
        .then(dataOf),
    ),
  )
  const oidc = data?.oidc
  const at = (path: string) => oidc && `${oidc.issuer}${path}`
  const start = oidc && (oidc.ssoUrl || URL.parse(oidc.redirectUris[0] ?? '')?.origin)
  return (
    <Stack maw={1240}>
      <Problem error={error} />
      {oidc && (
        <Panel
          title="Give this to the application"
          lead="Most need only the issuer, the client id and the secret."
          action={
            start && (
              <Button
                size="sm"
                component="a"
                href={start}
                target="_blank"
                rel="noopener noreferrer"
                leftSection={<IconExternalLink size={16} aria-hidden />}
              >
                Test sign-in
              </Button>
            )
          }
        >
          <Facts
            items={[
              { label: 'Issuer', value: oidc.issuer },
              { label: 'Client id', value: oidc.clientId },
              { label: 'Discovery', value: at('/.well-known/openid-configuration') },
              { label: 'Authorization', value: at('/authorize') },
              { label: 'Token', value: at('/token') },
              { label: 'User info', value: at('/userinfo') },
              { label: 'Keys', value: at('/jwks') },
              { label: 'Logout', value: at('/logout') },
            ]}
          />
        </Panel>
      )}
      {data !== undefined && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          <ClientPanel key={oidc?.clientId ?? ''} application={application} oidc={oidc} />
          <Group align="flex-start" grow>
            <Attempts application={application} />
          </Group>
        </SimpleGrid>
      )}
    </Stack>
  )
}
