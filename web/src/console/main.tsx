import { createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { NotFound } from '../ui/failure.tsx'
import { mount } from '../ui/mount.tsx'
import { ConsoleFrame } from './frame.tsx'
import { HomePage } from './home.tsx'

// No type registration as in the portal's router: that is global, and there are two routers.

const root = createRootRoute({ component: ConsoleFrame, notFoundComponent: NotFound })
const home = createRoute({ getParentRoute: () => root, path: '/', component: HomePage })
const router = createRouter({ routeTree: root.addChildren([home]), basepath: '/console' })

mount(<RouterProvider router={router} />)
