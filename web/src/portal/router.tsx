import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { Failure, NotFound } from '../ui/failure.tsx'
import { queries, sessionQuery } from './api.ts'

// People's own pages. The console has a document and a router of its own (src/console).

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <NotFound href="/" label="Go to your applications" />,
  errorComponent: ({ error }) => (
    <Failure error={error instanceof Error ? error : new Error(String(error))} />
  ),
})

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

/** Omits absent hints, so that they do not appear in the URL. */
const only = <T extends Record<string, string | undefined>>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: string
  }

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>) =>
    only({
      continue: text(search.continue),
      fresh: text(search.fresh),
      organization: text(search.organization),
      identifier: text(search.identifier),
    }),
  component: lazyRouteComponent(() => import('./sign-in/index.ts'), 'SignInPage'),
})

const forgotten = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  validateSearch: (search: Record<string, unknown>) =>
    only({ identifier: text(search.identifier), organization: text(search.organization) }),
  component: lazyRouteComponent(() => import('./sign-in/index.ts'), 'ForgotPasswordPage'),
})

const password = createRoute({
  getParentRoute: () => root,
  path: '/password',
  validateSearch: (search: Record<string, unknown>) =>
    only({ organization: text(search.organization), token: text(search.token) }),
  component: lazyRouteComponent(() => import('./sign-in/index.ts'), 'PasswordLinkPage'),
})

const portal = createRoute({
  getParentRoute: () => root,
  id: 'portal',
  beforeLoad: async ({ location }) => {
    const session = await queries.ensureQueryData(sessionQuery)
    if (session?.status === 'signed_in') return
    const { pathname } = location
    throw redirect({ to: '/login', search: pathname === '/' ? {} : { continue: pathname } })
  },
  component: lazyRouteComponent(() => import('./home/index.ts'), 'PortalFrame'),
})

const page = <P extends string>(
  path: P,
  name: 'ApplicationsPage' | 'ProfilePage' | 'SecurityPage',
) =>
  createRoute({
    getParentRoute: () => portal,
    path,
    component: lazyRouteComponent(() => import('./home/index.ts'), name),
  })

const tree = root.addChildren([
  login,
  forgotten,
  password,
  portal.addChildren([
    page('/', 'ApplicationsPage'),
    page('/profile', 'ProfilePage'),
    page('/security', 'SecurityPage'),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: false,
  scrollRestoration: true,
  // Plain text in the URL, as in links of the server and mail; the default would quote numbers.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(search as Record<string, string>).toString()
    return query === '' ? '' : `?${query}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
