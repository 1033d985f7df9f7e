import { IconCirclePause, IconExternalLink, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { AppMark } from '../../ui/app-mark.tsx'
import { useChange } from '../changes.ts'
import { useGo, usePath } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { HistoryTab } from '../resource/history-tab.tsx'
import { ResourcePage } from '../resource/resource-page.tsx'
import { AccessTab } from './access-tab.tsx'
import {
  type Application,
  applicationKey,
  nameOf,
  readApplication,
  TYPES,
  writeOf,
} from './application.ts'
import { Catalogue } from './catalogue.tsx'
import { Create } from './create.tsx'
import { ImportTab } from './imports/import-tab.tsx'
import { ProvisioningTab } from './provisioning/provisioning-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { OidcTab } from './sso/oidc-tab.tsx'
import { SamlTab } from './sso/saml-tab.tsx'
import { StateBadge } from './state-badge.tsx'

const LIST = { path: 'applications', title: 'Applications' }

function useActions(application: Application) {
  const go = useGo()
  const params = { path: { id: application.id } }
  const name = nameOf(application)
  const put = (active: boolean) => ({ ...writeOf(application), active })
  const setActive = useChange({
    run: (api, active: boolean) =>
      api.management.PUT('/applications/{id}', { params, body: put(active) }),
    touches: [['applications']],
    done: (active) => `${active ? 'Activated' : 'Deactivated'} ${name}`,
    undo: (api, active) => api.management.PUT('/applications/{id}', { params, body: put(!active) }),
    expect: {
      key: applicationKey(application.id),
      change: (cached: Application, active) => ({ ...cached, active }),
    },
  })
  const remove = useChange({
    run: (api) => api.management.DELETE('/applications/{id}', { params }),
    touches: [['applications']],
    done: () => `Deleted ${name}`,
    undo: (api) => api.management.POST('/applications/{id}/restore', { params }),
    after: () => void go('applications'),
  })
  return { setActive, remove }
}

function ApplicationPage({ application }: { application: Application }) {
  const writable = useMay().write('applications')
  const { setActive, remove } = useActions(application)
  const { type, hidden } = application.sso
  const name = nameOf(application)
  const signOn = {
    saml: () => <SamlTab key={application.id} application={application} />,
    oidc: () => <OidcTab key={application.id} application={application} />,
  }[type]
  return (
    <ResourcePage
      list={LIST}
      name={name}
      error={null}
      avatar={
        <AppMark
          label={name}
          template={application.name}
          logo={application.logo.url}
          color={application.color}
          size={3.25}
        />
      }
      state={<StateBadge active={application.active} />}
      copy={[{ label: 'id', value: application.id }]}
      main={
        type === 'bookmark' &&
        !hidden && {
          label: 'Open address',
          Icon: IconExternalLink,
          run: () => void window.open(application.ssoUrl, '_blank', 'noopener,noreferrer'),
        }
      }
      menu={
        writable
          ? [
              {
                label: application.active ? 'Deactivate application' : 'Activate application',
                Icon: application.active ? IconCirclePause : IconPlayerPlay,
                run: () => setActive.mutate(!application.active),
              },
              {
                label: 'Delete application',
                Icon: IconTrash,
                danger: true,
                run: () => remove.mutate(),
              },
            ]
          : []
      }
      tabs={[
        ...(signOn ? [{ id: 'sso', label: TYPES[type] ?? '', content: signOn, edits: true }] : []),
        {
          id: 'access',
          label: 'Access',
          content: () => <AccessTab application={application} />,
        },
        {
          id: 'provisioning',
          label: 'Provisioning',
          content: () => <ProvisioningTab key={application.id} application={application} />,
        },
        {
          id: 'import',
          label: 'Import',
          content: () => <ImportTab key={application.id} application={application} />,
        },
        {
          id: 'settings',
          label: 'Settings',
          edits: true,
          content: () => <SettingsTab key={application.id} application={application} />,
        },
        {
          id: 'history',
          label: 'History',
          content: () => <HistoryTab area="applications" id={application.id} />,
        },
      ]}
    />
  )
}

function Loaded({ id }: { id: string }) {
  const { data, error } = useRead(applicationKey(id), readApplication(id))
  if (data) return <ApplicationPage application={data} />
  return <ResourcePage list={LIST} name={undefined} error={error} tabs={[]} />
}

export function Detail() {
  const { id = '', tab } = usePath()
  if (id !== 'catalogue') return <Loaded id={id} />
  return tab ? <Create template={tab} /> : <Catalogue />
}
