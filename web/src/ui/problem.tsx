import { Alert } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'

/** What went wrong; an alert, which screen readers read out at once. */
export const Problem = ({ error }: { error: Error | null }) =>
  error && (
    <Alert color="red" variant="light" icon={<IconAlertCircle aria-hidden />} p="sm">
      {error.message}
    </Alert>
  )
