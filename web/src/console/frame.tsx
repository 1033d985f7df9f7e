import { AppShell, Group, Text } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import { Logo } from '../ui/logo.tsx'

/** The frame around every page of the console. Areas join it as they are built, one folder each. */
export const ConsoleFrame = () => (
  <AppShell header={{ height: 56 }} padding="lg">
    <AppShell.Header>
      <Group h="100%" px="lg" gap="sm">
        <Logo size={28} />
        <Text fw={650}>Console</Text>
      </Group>
    </AppShell.Header>
    <AppShell.Main>
      <Outlet />
    </AppShell.Main>
  </AppShell>
)
