import { Button, Group } from '@mantine/core'

interface Props {
  label: string
  /** Something was changed. */
  dirty: boolean
  saving: boolean
  /** What was changed cannot be saved yet. */
  unfinished?: boolean
  discard?: () => void
}

/** The end of a form that changes what is there. */
export const SaveBar = ({ label, dirty, saving, unfinished = false, discard }: Props) => (
  <Group>
    <Button size="sm" type="submit" disabled={!dirty || unfinished} loading={saving}>
      {label}
    </Button>
    {dirty && discard && (
      <Button size="sm" variant="default" onClick={discard}>
        Discard changes
      </Button>
    )}
  </Group>
)
