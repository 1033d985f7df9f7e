import { Button, PasswordInput, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { PasswordRules } from '../../../server/portal/schema.ts'
import { ApiError } from '../api/session.ts'
import { Problem } from './problem.tsx'
import { RuleList } from './rule-list.tsx'

interface Props {
  rules: PasswordRules['rules']
  username: string
  action: string
  /** Saves the password; the server validates it. */
  save: (password: string) => Promise<unknown>
  done: () => void
  /** Fields before the new password. */
  children?: ReactNode
}

const brokenIn = (error: Error | null): string[] =>
  error instanceof ApiError ? error.violations.map(({ description }) => description) : []

export function NewPassword({ rules, username, action, save, done, children }: Props) {
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [differs, setDiffers] = useState(false)
  const saving = useMutation({ mutationFn: save, onSuccess: done })
  const broken = brokenIn(saving.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setDiffers(password !== repeated)
    if (password === repeated) saving.mutate(password)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        {/* Tells password managers the user name. */}
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={username}
          readOnly
          hidden
        />
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value)
            if (broken.length > 0) saving.reset()
          }}
          error={broken.length > 0 && 'This password does not follow the rules below'}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the new password' }}
        />
        <RuleList rules={rules} password={password} username={username} broken={broken} />
        <PasswordInput
          label="Repeat the new password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={repeated}
          onChange={(event) => setRepeated(event.currentTarget.value)}
          onBlur={() => setDiffers(repeated !== '' && password !== repeated)}
          error={differs && password !== repeated && 'The passwords do not match'}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the repeated password' }}
        />
        <Problem error={broken.length > 0 ? null : saving.error} />
        <Button type="submit" fullWidth loading={saving.isPending}>
          {action}
        </Button>
      </Stack>
    </form>
  )
}
