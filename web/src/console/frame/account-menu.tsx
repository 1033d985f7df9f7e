import { IconCode, IconKeyboard, IconLogout, IconUserCog } from '@tabler/icons-react'
import { AccountItem, AccountMenu } from '../../ui/account-menu.tsx'
import { TimeZone } from '../../ui/time-zone.tsx'
import { useGo } from '../link.tsx'
import type { Session } from '../session.ts'
import { leave } from './leave.ts'

interface Props {
  session: Session
  showKeys: () => void
  showCalls: () => void
}

export function AdministratorMenu({ session, showKeys, showCalls }: Props) {
  const go = useGo()
  return (
    <AccountMenu name={session.email} about={session.roleNames.join(', ')} choices={<TimeZone />}>
      <AccountItem icon={<IconUserCog size={18} aria-hidden />} onClick={() => void go('account')}>
        Your account
      </AccountItem>
      <AccountItem icon={<IconCode size={18} aria-hidden />} onClick={showCalls}>
        See it as API calls
      </AccountItem>
      <AccountItem icon={<IconKeyboard size={18} aria-hidden />} onClick={showKeys}>
        Keyboard shortcuts
      </AccountItem>
      <AccountItem icon={<IconLogout size={18} aria-hidden />} onClick={() => void leave()}>
        Sign out
      </AccountItem>
    </AccountMenu>
  )
}
