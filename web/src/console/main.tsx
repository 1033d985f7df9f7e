// Before the styles of libraries: it says which layers override which.
import '../ui/global.css'
import '@mantine/notifications/styles.layer.css'
import '@mantine/spotlight/styles.layer.css'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { mount } from '../ui/mount.tsx'
import classes from './notices.module.css'
import { router } from './router.tsx'
import { queries } from './session.ts'

mount(
  <QueryClientProvider client={queries}>
    {/* The tray is at the lower right. */}
    <Notifications position="bottom-left" classNames={classes} />
    <RouterProvider router={router as never} />
  </QueryClientProvider>,
)
