import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { Failure, NotFound } from '../ui/failure.tsx'
import { AREAS } from './areas.ts'
import { lastOrganization } from './last-organization.ts'
import { queries, sessionQuery } from './session.ts'

// No type registration as in the portal's router: that is global, and there are two routers.

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <NotFound href="/console" label="Go to the console" />,
  errorComponent: ({ error }) => (
    <Failure error={error instanceof Error ? error : new Error(String(error))} />
  ),
})

const signInPages = () => import('./sign-in/index.ts')
const open = [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    component: lazyRouteComponent(signInPages, 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/forgot-password',
    component: lazyRouteComponent(signInPages, 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/password',
    component: lazyRouteComponent(signInPages, 'PasswordLinkPage'),
  }),
]

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    if (await queries.ensureQueryData(sessionQuery)) return
    const search = { continue: `/console${location.pathname}${location.searchStr}` }
    throw redirect({ to: '/sign-in', search: location.pathname === '/' ? {} : search } as never)
  },
})

const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async () => {
    const session = await queries.ensureQueryData(sessionQuery)
    const organization = lastOrganization(session?.organizationIds ?? [])
    if (organization) throw redirect({ to: `/${organization}` } as never)
  },
  component: lazyRouteComponent(() => import('./frame/index.ts'), 'NoOrganization'),
})

const organization = createRoute({
  getParentRoute: () => signedIn,
  path: '/$organization',
  component: lazyRouteComponent(() => import('./frame/index.ts'), 'Frame'),
})

const home = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyRouteComponent(() => import('./home/index.ts'), 'Home'),
})

const account = createRoute({
  getParentRoute: () => organization,
  path: '/account',
  component: lazyRouteComponent(() => import('./account/index.ts'), 'Account'),
})

const areas = AREAS.flatMap(({ path, load }) => [
  createRoute({
    getParentRoute: () => organization,
    path,
    component: lazyRouteComponent(load, 'List'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: `${path}/$id/{-$tab}`,
    component: lazyRouteComponent(async () => {
      const { List, Detail } = await load()
      // An area without pages of single objects shows its list.
      return { default: Detail ?? List }
    }),
  }),
])

export const router = createRouter({
  routeTree: root.addChildren([
    ...open,
    signedIn.addChildren([start, organization.addChildren([home, account, ...areas])]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Plain text in the address: readable, and as easily written by hand.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(search as Record<string, string>).toString()
    return query === '' ? '' : `?${query}`
  },
})
