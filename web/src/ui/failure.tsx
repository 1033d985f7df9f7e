import { Button, Text } from '@mantine/core'
import { Sheet } from './sheet.tsx'

export function NotFound() {
  return (
    <Sheet title="Page not found" lead="The address may be mistyped, or the page has moved.">
      <Button component="a" href="/" fullWidth>
        Go to your applications
      </Button>
    </Sheet>
  )
}

export function Failure({ error }: { error: Error }) {
  return (
    <Sheet title="Something went wrong" lead={error.message}>
      <Button onClick={() => window.location.reload()} fullWidth>
        Try again
      </Button>
      <Text size="sm" c="dimmed" ta="center">
        If it happens again, contact your administrator.
      </Text>
    </Sheet>
  )
}
