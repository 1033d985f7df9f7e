import { List, Text } from '@mantine/core'
import { IconPointFilled, IconX } from '@tabler/icons-react'
import type { PasswordRules } from '../../../server/portal/schema.ts'

interface Props {
  rules: PasswordRules['rules']
  /** Those that the last try broke. */
  broken: string[]
}

/** What a password has to be like. */
export function RuleList({ rules, broken }: Props) {
  if (rules.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        Your password
      </Text>
      <List size="sm" spacing={2} center>
        {rules.map(({ rule, message }) => {
          const failed = broken.includes(rule)
          return (
            <List.Item
              key={rule}
              c={failed ? 'var(--mantine-color-error)' : 'dimmed'}
              icon={
                failed ? <IconX size={14} aria-hidden /> : <IconPointFilled size={10} aria-hidden />
              }
            >
              {message}
            </List.Item>
          )
        })}
      </List>
    </div>
  )
}
