import {
  IconCirclePause,
  IconKeyOff,
  IconMail,
  IconPlayerPlay,
  IconShieldOff,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import { Confirm, type Question } from '../../ui/confirm.tsx'
import { Initials } from '../../ui/initials.tsx'
import { usePath } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'
import { HistoryTab } from '../resource/history-tab.tsx'
import { type MenuAction, ResourcePage } from '../resource/resource-page.tsx'
import { useAdministratorActions } from './actions.ts'
import { type Administrator, administratorKey, nameOf, readAdministrator } from './administrator.ts'
import { OrganizationsTab } from './organizations-tab.tsx'
import { ProfileTab } from './profile-tab.tsx'
import { StateTag } from './state-tag.tsx'

const LIST = { path: 'administrators', title: 'Administrators' }

function AdministratorPage({ admin }: { admin: Administrator }) {
  const writable = useMay().write('administrators')
  const { session } = useOrganization()
  const [question, ask] = useState<Question | null>(null)
  const { suspend, activate, sendLink, resetTotp, revokeKey, remove } =
    useAdministratorActions(admin)
  const name = nameOf(admin)
  const own = admin.id === session.id
  const menu: MenuAction[] = [
    {
      label: admin.registered ? 'Send a link to choose a password' : 'Send the invitation again',
      Icon: IconMail,
      run: () => sendLink.mutate(),
    },
    ...(admin.totpEnrolled
      ? [{ label: 'Reset second factor', Icon: IconShieldOff, run: () => resetTotp.mutate() }]
      : []),
    ...(admin.apiKeySet
      ? [{ label: 'Revoke API key', Icon: IconKeyOff, run: () => revokeKey.mutate() }]
      : []),
    ...(own
      ? []
      : [
          {
            label: 'Delete administrator',
            Icon: IconTrash,
            danger: true,
            run: () =>
              ask({
                title: `Delete ${name}?`,
                text: 'Their sessions and their API key end at once. This cannot be undone.',
                action: 'Delete administrator',
                run: () => remove.mutate(),
              }),
          },
        ]),
  ]
  return (
    <>
      <ResourcePage
        list={LIST}
        name={name}
        error={null}
        avatar={<Initials name={name} size={3.25} round />}
        state={<StateTag admin={admin} />}
        copy={[
          { label: 'e-mail', value: admin.email ?? '' },
          { label: 'id', value: admin.id },
        ]}
        main={
          writable &&
          !own && {
            label: admin.suspended ? 'Activate administrator' : 'Suspend administrator',
            Icon: admin.suspended ? IconPlayerPlay : IconCirclePause,
            run: () => (admin.suspended ? activate : suspend).mutate(),
          }
        }
        menu={writable ? menu : []}
        tabs={[
          {
            id: 'profile',
            label: 'Profile',
            edits: true,
            content: () => <ProfileTab key={admin.id} admin={admin} />,
          },
          ...(session.providerId
            ? [
                {
                  id: 'organizations',
                  label: 'Organizations',
                  content: () => <OrganizationsTab admin={admin} />,
                },
              ]
            : []),
          {
            id: 'history',
            label: 'History',
            content: () => <HistoryTab area="administrators" id={admin.id} />,
          },
        ]}
      />
      <Confirm question={question} close={() => ask(null)} />
    </>
  )
}

export function Detail() {
  const { id = '' } = usePath()
  const { data, error } = useRead(administratorKey(id), readAdministrator(id))
  if (data) return <AdministratorPage admin={data} />
  return <ResourcePage list={LIST} name={undefined} error={error} tabs={[]} />
}
