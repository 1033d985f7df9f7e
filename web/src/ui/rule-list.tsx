import { Text, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconPointFilled, IconX } from '@tabler/icons-react'
import type { PasswordRules } from '../../../server/portal/schema.ts'
import { CHECKS } from '../../../server/users/passwords/checks.ts'
import classes from './rule-list.module.css'

type Rule = PasswordRules['rules'][number]
type RuleState = 'open' | 'kept' | 'broken'

interface Props {
  rules: Rule[]
  password: string
  username: string
  /** Rules that the last attempt broke; only the server can check some of them. */
  broken: string[]
}

const ICONS = { open: IconPointFilled, kept: IconCheck, broken: IconX }
const WORDS = { open: '', kept: ' (done)', broken: ' (not yet)' }

/** As the user types: a rule is broken only once the server has said so, or if more typing cannot mend it. */
function stateOf({ rule, minimum }: Rule, { password, username, broken }: Props): RuleState {
  const check = Object.hasOwn(CHECKS, rule) ? CHECKS[rule as keyof typeof CHECKS] : undefined
  if (!check) return broken.includes(rule) ? 'broken' : 'open'
  if (password === '') return 'open'
  if (!check(password, username, minimum)) return 'kept'
  const mendable = rule !== 'username' && rule !== 'sequentialOrRepetitive'
  return broken.includes(rule) || !mendable ? 'broken' : 'open'
}

/** The password rules, with those that the password follows so far. */
export function RuleList(props: Props) {
  if (props.rules.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        Your password
      </Text>
      <ul className={classes.rules}>
        {props.rules.map((rule) => {
          const state = stateOf(rule, props)
          const Icon = ICONS[state]
          return (
            <li key={rule.rule} data-state={state}>
              <Icon size={14} aria-hidden />
              <span>
                {rule.message}
                <VisuallyHidden>{WORDS[state]}</VisuallyHidden>
              </span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
