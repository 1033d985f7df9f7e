import { Anchor, Button, Group, PasswordInput, Stack } from '@mantine/core'
import { type ComponentProps, type FormEvent, type ReactNode, useState } from 'react'
import { Problem } from './problem.tsx'

interface Props {
  /** Above the password: who signs in. */
  children: ReactNode
  /** Who signs in is known, so that only the password is missing. */
  known: boolean
  /** A link to the page for a forgotten password. */
  forgotten: NonNullable<ComponentProps<typeof Anchor<'a'>>['renderRoot']>
  action: string
  busy: boolean
  error: Error | null
  submit: (password: string) => void
}

/** The first step of a sign-in. */
export function PasswordForm({ children, known, forgotten, action, busy, error, submit }: Props) {
  const [password, setPassword] = useState('')
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit(password)
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        {children}
        <div>
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            autoFocus={known}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          />
          <Group justify="flex-end" mt={6}>
            <Anchor size="sm" renderRoot={forgotten}>
              Forgot your password?
            </Anchor>
          </Group>
        </div>
        <Problem error={error} />
        <Button type="submit" fullWidth loading={busy}>
          {action}
        </Button>
      </Stack>
    </form>
  )
}
