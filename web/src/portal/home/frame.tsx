import { Container, Group, Text, UnstyledButton } from '@mantine/core'
import { IconApps, IconShieldLock, IconUser } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Logo } from '../../ui/logo.tsx'
import { sessionQuery } from '../api.ts'
import { UserMenu } from './account-menu.tsx'
import classes from './frame.module.css'

const PAGES = [
  { to: '/', label: 'Applications', Icon: IconApps },
  { to: '/profile', label: 'Profile', Icon: IconUser },
  { to: '/security', label: 'Security', Icon: IconShieldLock },
] as const

/** At the top of a wide window; at the bottom on a phone, within reach of the thumb. */
const Navigation = () => (
  <nav className={classes.navigation} aria-label="Main">
    {PAGES.map(({ to, label, Icon }) => (
      <UnstyledButton
        key={to}
        className={classes.link}
        renderRoot={(props) => <Link to={to} activeOptions={{ exact: true }} {...props} />}
      >
        <Icon size={20} stroke={1.75} aria-hidden />
        {label}
      </UnstyledButton>
    ))}
  </nav>
)

export function PortalFrame() {
  const router = useRouter()
  const { data: session } = useQuery(sessionQuery)
  useEffect(() => {
    // The session ended while the page was open: the route re-evaluates and redirects to sign-in.
    if (session === null) void router.invalidate()
  }, [session, router])
  if (!session) return null
  return (
    <>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <header className={classes.header}>
        <Container size="lg" className={classes.bar}>
          <Group gap="sm" wrap="nowrap">
            {session.organization.logo ? (
              <img src={session.organization.logo} alt="" className={classes.logo} />
            ) : (
              <Logo size={30} />
            )}
            <Text fw={650} component="span" truncate maw={{ base: '13rem', md: '24rem' }}>
              {session.organization.name}
            </Text>
          </Group>
          <Navigation />
          <UserMenu session={session} />
        </Container>
      </header>
      <Container size="lg" component="main" id="main" tabIndex={-1} className={classes.main}>
        <Outlet />
      </Container>
    </>
  )
}
