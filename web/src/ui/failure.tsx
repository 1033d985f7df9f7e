import { Button, Text } from '@mantine/core'
import { Sheet } from './sheet.tsx'

interface Way {
  href: string
  label: string
}

export function NotFound({ href, label }: Way) {
  return (
    <Sheet title="Page not found" lead="The address may be mistyped, or the page has moved.">
      <Button component="a" href={href} fullWidth>
        {label}
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
