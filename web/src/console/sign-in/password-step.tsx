import { Alert, Anchor, Text } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PasswordForm } from '../../ui/password-form.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { PlainLink } from '../link.tsx'
import { setupQuery, signIn } from '../session.ts'
import { EmailField } from './email-field.tsx'

/** Only the terminal has the link: to show it here would give the console to whoever comes first. */
function FirstStart() {
  const { data } = useQuery(setupQuery)
  if (!data?.passwordNeeded) return null
  return (
    <Alert variant="light" icon={<IconTerminal2 aria-hidden />} title="First time here?">
      No administrator has a password yet. Gatehouse printed a link to choose one when it started:
      look in its terminal or log.
    </Alert>
  )
}

type Status = Awaited<ReturnType<typeof signIn>>

export function PasswordStep({ known, done }: { known: string; done: (status: Status) => void }) {
  const [email, setEmail] = useState(known)
  const signingIn = useMutation({
    mutationFn: (password: string) => signIn(email, password),
    onSuccess: done,
  })
  return (
    <Sheet title="Sign in to the console" lead="for administrators">
      <FirstStart />
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
