import { Anchor, Text } from '@mantine/core'
import { Page } from '../ui/page.tsx'

export const HomePage = () => (
  <Page title="Console">
    <Text>
      There are no pages here yet. Everything can be done through the{' '}
      <Anchor href="/docs">API</Anchor>; people sign in at <Anchor href="/">their portal</Anchor>.
    </Text>
  </Page>
)
