import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { mount } from '../ui/mount.tsx'
import { queries } from './api.ts'
import { router } from './router.tsx'

mount(
  <QueryClientProvider client={queries}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
