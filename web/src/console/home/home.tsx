import { Skeleton, Stack } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Page } from '../../ui/page.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { Attention } from './attention.tsx'
import { Checklist } from './checklist.tsx'

/** The charts are larger than the rest of the page. */
const Activity = lazy(async () => ({ default: (await import('./activity.tsx')).Activity }))

export function Home() {
  const { name } = useOrganization()
  const may = useMay()
  return (
    <Page title={name}>
      <Stack gap="xl">
        <Attention />
        {may.read('insights') && (
          <Suspense fallback={<Skeleton h={240} />}>
            <Activity />
          </Suspense>
        )}
        <Checklist />
      </Stack>
    </Page>
  )
}
