import type { Icon } from '@tabler/icons-react'
import classes from './tag.module.css'

interface Props {
  tone: 'good' | 'calm' | 'warn' | 'bad'
  /** Colour alone would not tell. */
  Icon?: Icon
  children: string
}

/** A state in a word. */
export const Tag = ({ tone, Icon, children }: Props) => (
  <span className={classes.tag} data-tone={tone}>
    {Icon && <Icon size={13} aria-hidden />}
    {children}
  </span>
)
