import { Alert, Button, Group, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { CopyLine } from './copy-line.tsx'

interface Props {
  what: string
  secret: string
  done: () => void
}

/** A secret that cannot be read again. */
export const ShownOnce = ({ what, secret, done }: Props) => (
  <Stack>
    <Alert
      variant="light"
      color="orange"
      icon={<IconAlertTriangle aria-hidden />}
      c="var(--gh-warn)"
      p="sm"
    >
      {what} is shown only now. Keep it in a safe place.
    </Alert>
    <CopyLine text={secret} />
    <Group justify="flex-end">
      <Button size="sm" onClick={done}>
        I have kept it
      </Button>
    </Group>
  </Stack>
)
