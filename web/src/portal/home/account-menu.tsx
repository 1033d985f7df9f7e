import { IconLogout } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { SessionAnswer } from '../../../../server/portal/schema.ts'
import { AccountItem, AccountMenu } from '../../ui/account-menu.tsx'
import { signOut } from '../api.ts'

export function UserMenu({ session }: { session: SessionAnswer }) {
  const leaving = useMutation({
    mutationFn: signOut,
    // A full page load: nothing of this session stays in memory.
    onSettled: (continueTo) => window.location.assign(continueTo ?? '/login'),
  })
  return (
    <AccountMenu name={session.displayName} about={session.email}>
      <AccountItem
        icon={<IconLogout size={18} aria-hidden />}
        busy={leaving.isPending}
        onClick={() => leaving.mutate()}
      >
        Sign out
      </AccountItem>
    </AccountMenu>
  )
}
