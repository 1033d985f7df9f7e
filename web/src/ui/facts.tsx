import type { ReactNode } from 'react'
import { Copyable } from './copyable.tsx'
import classes from './facts.module.css'

interface Fact {
  label: string
  /** Copied on a click. */
  value?: string | undefined
  /** Instead of, or beside, what can be copied. */
  aside?: ReactNode
}

/** Names and values, such as the addresses another system asks for. */
export const Facts = ({ items }: { items: Fact[] }) => (
  <dl className={classes.facts}>
    {items.map(({ label, value, aside }) => (
      <div key={label} className={classes.fact}>
        <dt>{label}</dt>
        <dd>
          {value ? <Copyable label={label} value={value} /> : !aside && '–'}
          {aside}
        </dd>
      </div>
    ))}
  </dl>
)
