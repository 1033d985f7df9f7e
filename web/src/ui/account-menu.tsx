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
import type { ReactNode } from 'react'
import { ColorScheme } from './color-scheme.tsx'

interface ItemProps {
  icon: ReactNode
  onClick: () => void
  busy?: boolean
  children: string
}

export const AccountItem = ({ icon, onClick, busy = false, children }: ItemProps) => (
  <Button
    variant="subtle"
    color="gray"
    size="sm"
    c="var(--mantine-color-text)"
    justify="flex-start"
    leftSection={icon}
    loading={busy}
    onClick={onClick}
  >
    {children}
  </Button>
)

interface Props {
  name: string
  about: string
  /** Choices beside the one of colours. */
  choices?: ReactNode
  /** Items. */
  children: ReactNode
}

/** Not an ARIA menu: it contains more than menu items. */
export const AccountMenu = ({ name, about, choices, children }: Props) => (
  <Popover position="bottom-end" width={260} shadow="md" trapFocus withinPortal={false}>
    <Popover.Target>
      <UnstyledButton>
        <Avatar name={name} color="indigo" variant="filled" size={34} alt="" aria-hidden />
        <VisuallyHidden>Account of {name}</VisuallyHidden>
      </UnstyledButton>
    </Popover.Target>
    <Popover.Dropdown p="sm">
      <Stack gap="xs">
        <div>
          <Text size="sm" fw={600} truncate>
            {name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {about}
          </Text>
        </div>
        <ColorScheme />
        {choices}
        <Divider />
        {children}
      </Stack>
    </Popover.Dropdown>
  </Popover>
)
