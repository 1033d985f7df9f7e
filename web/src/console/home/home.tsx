import { Stack } from '@mantine/core'
import { Page } from '../../ui/page.tsx'
import { useOrganization } from '../organization.ts'
import { Attention } from './attention.tsx'
import { Checklist } from './checklist.tsx'

export function Home() {
  const { name } = useOrganization()
  return (
    <Page title={name}>
      <Stack gap="xl">
        <Attention />
        <Checklist />
      </Stack>
    </Page>
  )
}
