import { Alert } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'

/** What went wrong, read out at once by screen readers. */
export function Problem({ error }: { error: Error | null }) {
  return (
    <div role="alert">
      {error && (
        <Alert color="red" variant="light" icon={<IconAlertCircle />} p="sm">
          {error.message}
        </Alert>
      )}
    </div>
  )
}
