import { CopyButton, UnstyledButton } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import classes from './copyable.module.css'

/** An id or an address that is copied on a click. */
export const Copyable = ({ label, value }: { label: string; value: string }) => (
  <CopyButton value={value}>
    {({ copied, copy }) => (
      <UnstyledButton
        className={classes.copyable}
        onClick={copy}
        aria-label={copied ? `${label} copied` : `Copy ${label} ${value}`}
      >
        {value}
        {copied ? <IconCheck size={13} aria-hidden /> : <IconCopy size={13} aria-hidden />}
      </UnstyledButton>
    )}
  </CopyButton>
)
