import { Alert, Box, Button, PasswordInput } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { type ReactNode, useRef, useState } from 'react'
import type { PasswordRules } from '../../../server/portal/schema.ts'
import { NewPassword } from './new-password.tsx'
import { Panel } from './panel.tsx'

interface Props {
  lead: ReactNode
  rules: PasswordRules['rules']
  username: string
  change: (current: string, password: string) => Promise<unknown>
  done: () => void
}

/** A panel with the form to change one's own password. */
export function ChangePassword({ lead, rules, username, change, done }: Props) {
  const panel = useRef<HTMLElement>(null)
  const [state, setState] = useState<'closed' | 'open' | 'done'>('closed')
  const [current, setCurrent] = useState('')
  const toggle = () => {
    setCurrent('')
    setState(state === 'open' ? 'closed' : 'open')
  }
  const changed = () => {
    setCurrent('')
    setState('done')
    panel.current?.focus()
    done()
  }
  return (
    <Panel
      ref={panel}
      title="Password"
      lead={lead}
      action={
        <Button variant="default" size="sm" aria-expanded={state === 'open'} onClick={toggle}>
          {state === 'open' ? 'Cancel' : 'Change'}
        </Button>
      }
    >
      {state === 'open' && (
        <Box maw="24rem">
          <NewPassword
            rules={rules}
            username={username}
            action="Change password"
            save={(password) => change(current, password)}
            done={changed}
          >
            <PasswordInput
              label="Current password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              autoFocus
              value={current}
              onChange={(event) => setCurrent(event.currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the current password' }}
            />
          </NewPassword>
        </Box>
      )}
      {state === 'done' && (
        <Alert role="status" color="green" variant="light" icon={<IconCheck aria-hidden />}>
          Your password is changed. You were signed out everywhere else.
        </Alert>
      )}
    </Panel>
  )
}
