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
import { useDisclosure } from '@mantine/hooks'
import { createContext, type ReactNode, useContext, useRef } from 'react'
import { ColorScheme } from './color-scheme.tsx'

const CloseContext = createContext(() => {})

interface ItemProps {
  icon: ReactNode
  onClick: () => void
  busy?: boolean
  children: string
}

export function AccountItem({ icon, onClick, busy = false, children }: ItemProps) {
  const close = useContext(CloseContext)
  return (
    <Button
      variant="subtle"
      color="gray"
      size="sm"
      c="var(--mantine-color-text)"
      justify="flex-start"
      leftSection={icon}
      loading={busy}
      onClick={() => {
        close()
        onClick()
      }}
    >
      {children}
    </Button>
  )
}

interface Props {
  name: string
  about: string
  /** Choices beside the one of colours. */
  choices?: ReactNode
  /** Items. */
  children: ReactNode
}

/** Not an ARIA menu: it contains more than menu items. */
export function AccountMenu({ name, about, choices, children }: Props) {
  const [opened, { toggle, close }] = useDisclosure()
  const button = useRef<HTMLButtonElement>(null)
  // A dialog that an item opens returns the focus to where it was.
  const leave = () => {
    button.current?.focus()
    close()
  }
  return (
    <Popover
      opened={opened}
      onDismiss={close}
      position="bottom-end"
      width={260}
      shadow="md"
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <UnstyledButton ref={button} onClick={toggle}>
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
          <CloseContext value={leave}>{children}</CloseContext>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
