import { CopyButton, UnstyledButton } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import classes from './copyable.module.css'

interface Props {
  label: string
  value: string
  /** Instead of a value that is long. */
  shown?: string
}

/** An id or an address that is copied on a click. */
export const Copyable = ({ label, value, shown }: Props) => (
  <CopyButton value={value}>
    {({ copied, copy }) => (
      <UnstyledButton
        className={classes.copyable}
        onClick={copy}
        aria-label={copied ? `${label} copied` : `Copy ${label} ${shown ? '' : value}`.trim()}
      >
        {shown ?? value}
        {copied ? <IconCheck size={13} aria-hidden /> : <IconCopy size={13} aria-hidden />}
      </UnstyledButton>
    )}
  </CopyButton>
)
