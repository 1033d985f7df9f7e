import { Alert, Button, PasswordInput } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { NewPassword } from '../../ui/new-password.tsx'
import { Panel } from '../../ui/panel.tsx'
import { asDay } from '../../ui/time.ts'
import {
  changePassword,
  queries,
  rulesQuery,
  securityQuery,
  sessionQuery,
  sessionsQuery,
} from '../api.ts'
import classes from './security.module.css'

function ChangeForm({ done }: { done: () => void }) {
  const [current, setCurrent] = useState('')
  const { data } = useQuery(rulesQuery)
  const { data: session } = useQuery(sessionQuery)
  return (
    <div className={classes.form}>
      <NewPassword
        rules={data?.rules ?? []}
        username={session?.username ?? ''}
        action="Change password"
        save={(password) => changePassword(current, password)}
        done={done}
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
    </div>
  )
}

export function PasswordPanel() {
  const panel = useRef<HTMLElement>(null)
  const [state, setState] = useState<'closed' | 'open' | 'done'>('closed')
  const { data } = useQuery(securityQuery)
  const expires = data?.passwordExpiresAt
  const done = () => {
    setState('done')
    panel.current?.focus()
    void queries.invalidateQueries(securityQuery)
    void queries.invalidateQueries(sessionsQuery)
  }
  return (
    <Panel
      ref={panel}
      title="Password"
      lead={
        data?.passwordSetAt &&
        `Set on ${asDay(data.passwordSetAt)}${expires ? `, expires on ${asDay(expires)}` : ''}`
      }
      action={
        <Button
          variant="default"
          size="sm"
          aria-expanded={state === 'open'}
          onClick={() => setState(state === 'open' ? 'closed' : 'open')}
        >
          {state === 'open' ? 'Cancel' : 'Change'}
        </Button>
      }
    >
      {state === 'open' && <ChangeForm done={done} />}
      {state === 'done' && (
        <Alert role="status" color="green" variant="light" icon={<IconCheck aria-hidden />}>
          Your password is changed. You were signed out everywhere else.
        </Alert>
      )}
    </Panel>
  )
}
