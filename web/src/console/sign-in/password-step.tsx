import { Anchor, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Problem } from '../../ui/problem.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { PlainLink } from '../link.tsx'
import { signIn } from '../session.ts'
import { EmailField } from './email-field.tsx'

type Status = Awaited<ReturnType<typeof signIn>>

export function PasswordStep({ known, done }: { known: string; done: (status: Status) => void }) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const signingIn = useMutation({ mutationFn: () => signIn(email, password), onSuccess: done })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signingIn.mutate()
  }
  return (
    <Sheet title="Sign in to the console" lead="for administrators">
      <form onSubmit={submit}>
        <Stack>
          <EmailField
            autoFocus={known === ''}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <div>
            <PasswordInput
              label="Password"
              name="password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              autoFocus={known !== ''}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            />
            <Group justify="flex-end" mt={6}>
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <PlainLink to="/forgot-password" search={email ? { email } : {}} {...props} />
                )}
              >
                Forgot your password?
              </Anchor>
            </Group>
          </div>
          <Problem error={signingIn.error} />
          <Button type="submit" fullWidth loading={signingIn.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
      <Text size="sm" c="dimmed" ta="center">
        Looking for your applications?{' '}
        <Anchor size="sm" href="/" underline="always">
          Sign in to the portal
        </Anchor>
      </Text>
    </Sheet>
  )
}
