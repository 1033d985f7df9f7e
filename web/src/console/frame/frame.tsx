import { AppShell, Burger, Group, Skeleton, UnstyledButton } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { spotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { dataOf } from '../../api/organization.ts'
import { ApiError } from '../../api/session.ts'
import { Failure } from '../../ui/failure.tsx'
import { Key } from '../../ui/key.tsx'
import { forgetMadeCalls } from '../changes.ts'
import { ConfirmationDialog } from '../confirmation-dialog.tsx'
import { rememberOrganization } from '../last-organization.ts'
import { usePath } from '../link.tsx'
import { forgetUndo, undoLast } from '../notices.tsx'
import { OrganizationContext } from '../organization.ts'
import { forgetOthers, readOptions } from '../reads.ts'
import { type Session, sessionQuery } from '../session.ts'
import { Tray } from '../tray/tray-panel.tsx'
import { AdministratorMenu } from './account-menu.tsx'
import { CallsDialog } from './calls-dialog.tsx'
import classes from './frame.module.css'
import { KeysDialog } from './keys-dialog.tsx'
import { NoOrganization, UnknownOrganization } from './no-organization.tsx'
import { Palette } from './palette.tsx'
import { Sidebar } from './sidebar.tsx'

const organizationQuery = (id: string) =>
  readOptions(id, ['organization'], async (api) =>
    dataOf(await api.management.GET('/organizations/{id}', { params: { path: { id } } })),
  )

function Shell({ session, id }: { session: Session; id: string }) {
  const { data, error } = useQuery(organizationQuery(id))
  const [menu, { toggle, close }] = useDisclosure()
  const [keys, keysDialog] = useDisclosure()
  const [calls, callsDialog] = useDisclosure()
  useHotkeys([
    ['shift+?', keysDialog.open, { usePhysicalKeys: false }],
    ['mod+z', undoLast],
  ])
  useEffect(() => {
    forgetOthers(id)
    forgetMadeCalls()
    if (data) rememberOrganization(id)
  }, [id, data])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another organization, another history.
  useEffect(forgetUndo, [id])
  if (error) {
    const isUnknown = error instanceof ApiError && [400, 403, 404].includes(error.status)
    if (!isUnknown) return <Failure error={error} />
    return session.organizationIds.length > 0 ? <UnknownOrganization /> : <NoOrganization />
  }
  const place = { id, name: data?.displayName ?? '', session }
  return (
    <OrganizationContext value={place}>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <AppShell
        layout="alt"
        header={{ height: 56 }}
        navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !menu } }}
        padding="lg"
      >
        <AppShell.Header className={classes.bar}>
          <Group h="100%" px="lg" justify="space-between" wrap="nowrap">
            <Burger
              opened={menu}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={menu ? 'Close the menu' : 'Open the menu'}
            />
            <UnstyledButton className={classes.search} onClick={spotlight.open}>
              <IconSearch size={16} aria-hidden />
              <span>Search or jump to…</span>
              <Key>⌘K</Key>
            </UnstyledButton>
            <AdministratorMenu
              session={session}
              showKeys={keysDialog.open}
              showCalls={callsDialog.open}
            />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar className={classes.sidebar} p="sm" aria-label="Main">
          <Sidebar close={close} />
        </AppShell.Navbar>
        <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
          {data ? <Outlet /> : <Skeleton h={32} w={220} />}
        </AppShell.Main>
      </AppShell>
      <Palette showKeys={keysDialog.open} showCalls={callsDialog.open} />
      <ConfirmationDialog session={session} />
      <Tray />
      <KeysDialog opened={keys} close={keysDialog.close} />
      <CallsDialog opened={calls} close={callsDialog.close} />
    </OrganizationContext>
  )
}

/** Around every page of an organization. The key drops all state of the page on a switch. */
export function Frame() {
  const router = useRouter()
  const { organization = '' } = usePath()
  const { data: session } = useQuery(sessionQuery)
  useEffect(() => {
    // The session ended while the page was open: the route re-evaluates and redirects to sign-in.
    if (session === null) void router.invalidate()
  }, [session, router])
  useEffect(
    () =>
      // The focus was on a link of the page before.
      router.subscribe('onRendered', () => {
        if (document.activeElement === document.body)
          document.getElementById('main')?.focus({ preventScroll: true })
      }),
    [router],
  )
  return session ? <Shell key={organization} session={session} id={organization} /> : null
}
