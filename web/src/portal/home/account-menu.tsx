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
import { IconLogout } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { SessionAnswer } from '../../../../server/portal/schema.ts'
import { ColorScheme } from '../../ui/color-scheme.tsx'
import { signOut } from '../api.ts'

/** Not an ARIA menu: it contains more than menu items. */
export function AccountMenu({ session }: { session: SessionAnswer }) {
  const leaving = useMutation({
    mutationFn: signOut,
    // A full page load: nothing of this session stays in memory.
    onSettled: (continueTo) => window.location.assign(continueTo ?? '/login'),
  })
  return (
    <Popover position="bottom-end" width={260} shadow="md" trapFocus withinPortal={false}>
      <Popover.Target>
        <UnstyledButton>
          <Avatar name={session.displayName} color="indigo" variant="filled" radius="xl" alt="" />
          <VisuallyHidden>Account of {session.displayName}</VisuallyHidden>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p="sm">
        <Stack gap="sm">
          <div>
            <Text size="sm" fw={600} truncate>
              {session.displayName}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {session.email}
            </Text>
          </div>
          <ColorScheme />
          <Divider />
          <Button
            variant="subtle"
            size="sm"
            justify="flex-start"
            leftSection={<IconLogout size={18} aria-hidden />}
            loading={leaving.isPending}
            onClick={() => leaving.mutate()}
          >
            Sign out
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
