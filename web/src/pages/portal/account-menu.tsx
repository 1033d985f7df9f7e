import {
  Avatar,
  Menu,
  SegmentedControl,
  Text,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { SessionAnswer } from '../../../../server/portal/schema.ts'
import { signOut } from '../../api/portal.ts'

function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label="Colours"
      value={colorScheme}
      onChange={(value) => setColorScheme(value as typeof colorScheme)}
      data={[
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
        { value: 'auto', label: 'As system' },
      ]}
    />
  )
}

export function AccountMenu({ session }: { session: SessionAnswer }) {
  const leaving = useMutation({
    mutationFn: signOut,
    // A whole page: nothing of this session stays in memory.
    onSettled: (continueTo) => window.location.assign(continueTo ?? '/login'),
  })
  return (
    <Menu position="bottom-end" width={260} shadow="md" trapFocus={false}>
      <Menu.Target>
        <UnstyledButton aria-label={`Account of ${session.displayName}`}>
          <Avatar name={session.displayName} color="indigo" variant="filled" radius="xl" alt="" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Text px="sm" pt={6} size="sm" fw={600} truncate>
          {session.displayName}
        </Text>
        <Text px="sm" pb={8} size="xs" c="dimmed" truncate>
          {session.email}
        </Text>
        <Menu.Divider />
        <div style={{ padding: '0.375rem 0.5rem' }}>
          <ColorScheme />
        </div>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={18} aria-hidden />}
          onClick={() => leaving.mutate()}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
