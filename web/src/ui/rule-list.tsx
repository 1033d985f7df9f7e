import { Text } from '@mantine/core'
import { IconPointFilled, IconX } from '@tabler/icons-react'
import type { PasswordRules } from '../../../server/portal/schema.ts'
import classes from './rule-list.module.css'

interface Props {
  rules: PasswordRules['rules']
  /** Rules that the last attempt broke. */
  broken: string[]
}

/** The password rules. */
export function RuleList({ rules, broken }: Props) {
  if (rules.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        Your password
      </Text>
      <ul className={classes.rules}>
        {rules.map(({ rule, message }) => {
          const failed = broken.includes(rule)
          const Icon = failed ? IconX : IconPointFilled
          return (
            <li key={rule} data-broken={failed || undefined}>
              <Icon size={14} aria-hidden />
              {message}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
