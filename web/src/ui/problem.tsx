import { Alert } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'

/** An error message, as an alert, so that screen readers announce it. */
export const Problem = ({ error }: { error: Error | null }) =>
  error && (
    <Alert color="red" variant="light" icon={<IconAlertCircle aria-hidden />} p="sm">
      {error.message}
    </Alert>
  )
