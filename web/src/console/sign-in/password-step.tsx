import { Anchor, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { PasswordForm } from '../../ui/password-form.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { PlainLink } from '../link.tsx'
import { signIn } from '../session.ts'
import { EmailField } from './email-field.tsx'

type Status = Awaited<ReturnType<typeof signIn>>

export function PasswordStep({ known, done }: { known: string; done: (status: Status) => void }) {
  const [email, setEmail] = useState(known)
  const signingIn = useMutation({
    mutationFn: (password: string) => signIn(email, password),
    onSuccess: done,
  })
  return (
    <Sheet title="Sign in to the console" lead="for administrators">
      <PasswordForm
        known={known !== ''}
        forgotten={(props) => (
          <PlainLink to="/forgot-password" search={email ? { email } : {}} {...props} />
        )}
        action="Sign in"
        busy={signingIn.isPending}
        error={signingIn.error}
        submit={signingIn.mutate}
      >
        <EmailField
          autoFocus={known === ''}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
      </PasswordForm>
      <Text size="sm" c="dimmed" ta="center">
        Looking for your applications?{' '}
        <Anchor size="sm" href="/" underline="always">
          Sign in to the portal
        </Anchor>
      </Text>
    </Sheet>
  )
}
