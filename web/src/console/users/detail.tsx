import { useDisclosure } from '@mantine/hooks'
import {
  IconCirclePause,
  IconKeyOff,
  IconLockOpen,
  IconMail,
  IconPassword,
  IconPlayerPlay,
  IconShieldOff,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import { Confirm, type Question } from '../../ui/confirm.tsx'
import { Initials } from '../../ui/initials.tsx'
import { GroupsTab } from '../groups/groups-tab.tsx'
import { USER_GROUPS } from '../groups/kind.ts'
import { usePath } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { HistoryTab } from '../resource/history-tab.tsx'
import { type MenuAction, ResourcePage } from '../resource/resource-page.tsx'
import { AccessTab } from './access-tab.tsx'
import { AccountsTab } from './accounts-tab.tsx'
import { useUserActions } from './actions.ts'
import { nameOf } from './name.ts'
import { ProfileTab } from './profile/profile-tab.tsx'
import { SessionsTab } from './sessions-tab.tsx'
import { SetPassword } from './set-password.tsx'
import { SshKeysTab } from './ssh-keys-tab.tsx'
import { StateBadge } from './state-badge.tsx'
import { StateTab } from './state-tab.tsx'
import { readUser, type User, userKey } from './user.ts'

const LIST = { path: 'users', title: 'Users' }

function UserPage({ user }: { user: User }) {
  const may = useMay()
  const { suspend, activate, unlock, resetMfa, expire, mailLink, remove } = useUserActions(user)
  const [settingPassword, { open: setPassword, close }] = useDisclosure()
  const [question, ask] = useState<Question | null>(null)
  const active = user.state === 'ACTIVATED'
  const menu: MenuAction[] = [
    ...(user.account_locked
      ? [{ label: 'Unlock user', Icon: IconLockOpen, run: () => unlock.mutate() }]
      : []),
    ...(user.totp_enabled
      ? [
          {
            label: 'Remove second factor',
            Icon: IconShieldOff,
            run: () =>
              ask({
                title: `Remove the second factor of ${nameOf(user)}?`,
                text: 'Nothing brings it back: the user has to set up a new one.',
                action: 'Remove second factor',
                run: () => resetMfa.mutate(),
              }),
          },
        ]
      : []),
    { label: 'Set password', Icon: IconPassword, run: setPassword },
    ...(active
      ? [{ label: 'Mail a link for a new password', Icon: IconMail, run: () => mailLink.mutate() }]
      : []),
    {
      label: 'Expire password',
      Icon: IconKeyOff,
      run: () =>
        ask({
          title: `Expire the password of ${nameOf(user)}?`,
          text: 'The user has to choose a new password before signing in again.',
          action: 'Expire password',
          run: () => expire.mutate(),
        }),
    },
    { label: 'Delete user', Icon: IconTrash, danger: true, run: () => remove.mutate() },
  ]
  return (
    <>
      <ResourcePage
        list={LIST}
        name={nameOf(user)}
        error={null}
        avatar={<Initials name={nameOf(user)} size={3.25} round />}
        state={<StateBadge user={user} />}
        copy={[
          { label: 'e-mail', value: user.email ?? '' },
          { label: 'username', value: user.username ?? '' },
          { label: 'id', value: user.id },
        ]}
        main={
          may.write('users') && {
            label: active ? 'Suspend user' : 'Activate user',
            Icon: active ? IconCirclePause : IconPlayerPlay,
            run: () => (active ? suspend : activate).mutate(),
          }
        }
        menu={may.write('users') ? menu : []}
        tabs={[
          {
            id: 'profile',
            label: 'Profile',
            edits: true,
            content: () => <ProfileTab key={user.id} user={user} />,
          },
          { id: 'state', label: 'State', content: () => <StateTab user={user} /> },
          {
            id: 'groups',
            label: 'Groups',
            content: () => <GroupsTab kind={USER_GROUPS} id={user.id} />,
          },
          { id: 'access', label: 'Access', content: () => <AccessTab user={user} /> },
          { id: 'sessions', label: 'Sessions', content: () => <SessionsTab user={user} /> },
          { id: 'keys', label: 'SSH keys', content: () => <SshKeysTab user={user} /> },
          ...(may.read('applications')
            ? [{ id: 'accounts', label: 'Accounts', content: () => <AccountsTab user={user} /> }]
            : []),
          {
            id: 'history',
            label: 'History',
            content: () => <HistoryTab area="users" id={user.id} />,
          },
        ]}
      />
      <Confirm question={question} close={() => ask(null)} />
      <SetPassword user={user} opened={settingPassword} close={close} />
    </>
  )
}

export function Detail() {
  const { id = '' } = usePath()
  const { data, error } = useRead(userKey(id), readUser(id))
  if (data) return <UserPage user={data} />
  return <ResourcePage list={LIST} name={undefined} error={error} tabs={[]} />
}
