import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  close: () => void
  saving: boolean
  /** What submitting does. */
  children: ReactNode
}

/** The foot of a form in a dialog. */
export const FormActions = ({ close, saving, children }: Props) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={close}>
      Cancel
    </Button>
    <Button type="submit" loading={saving}>
      {children}
    </Button>
  </Group>
)
