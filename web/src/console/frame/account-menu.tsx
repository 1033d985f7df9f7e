import {
  Avatar,
  Button,
  Divider,
  Popover,
  Stack,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import { IconCode, IconKeyboard, IconLogout } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ColorScheme } from '../../ui/color-scheme.tsx'
import type { Session } from '../session.ts'
import { leave } from './leave.ts'

interface Props {
  session: Session
  showKeys: () => void
  showCalls: () => void
}

interface ItemProps {
  icon: ReactNode
  onClick: () => void
  children: string
}

const Item = ({ icon, onClick, children }: ItemProps) => (
  <Button
    variant="subtle"
    color="gray"
    size="sm"
    c="var(--mantine-color-text)"
    justify="flex-start"
    leftSection={icon}
    onClick={onClick}
  >
    {children}
  </Button>
)

/** Not an ARIA menu: it contains more than menu items. */
export const AccountMenu = ({ session, showKeys, showCalls }: Props) => (
  <Popover position="bottom-end" width={260} shadow="md" trapFocus withinPortal={false}>
    <Popover.Target>
      <UnstyledButton>
        <Avatar name={session.email} color="indigo" variant="filled" size={32} alt="" aria-hidden />
        <VisuallyHidden>Account of {session.email}</VisuallyHidden>
      </UnstyledButton>
    </Popover.Target>
    <Popover.Dropdown p="sm">
      <Stack gap="xs">
        <div>
          <Text size="sm" fw={600} truncate>
            {session.email}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {session.roleNames.join(', ')}
          </Text>
        </div>
        <ColorScheme />
        <Divider />
        <Item icon={<IconCode size={18} aria-hidden />} onClick={showCalls}>
          See it as API calls
        </Item>
        <Item icon={<IconKeyboard size={18} aria-hidden />} onClick={showKeys}>
          Keyboard shortcuts
        </Item>
        <Item icon={<IconLogout size={18} aria-hidden />} onClick={() => void leave()}>
          Sign out
        </Item>
      </Stack>
    </Popover.Dropdown>
  </Popover>
)
