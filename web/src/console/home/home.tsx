import { Skeleton, Stack, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Page } from '../../ui/page.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { Attention } from './attention.tsx'
import { Checklist } from './checklist.tsx'

/** The charts are larger than the rest of the page. */
const Activity = lazy(async () => ({ default: (await import('./activity.tsx')).Activity }))

/** What needs attention is counted for those who may read one of these. */
const COUNTED = ['users', 'systems', 'applications', 'insights']

export function Home() {
  const { name } = useOrganization()
  const may = useMay()
  const counts = COUNTED.some(may.read)
  return (
    <Page title={name}>
      <Stack gap="xl">
        {counts ? (
          <Attention />
        ) : (
          <Text c="dimmed">The pages that your role may see are at the left.</Text>
        )}
        {may.read('insights') && (
          <Suspense fallback={<Skeleton h={240} />}>
            <Activity />
          </Suspense>
        )}
        {counts && <Checklist />}
      </Stack>
    </Page>
  )
}
