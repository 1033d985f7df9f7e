import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { NewPassword } from '../../ui/new-password.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { PlainLink, useAddress } from '../link.tsx'
import { askForLink, choosePassword } from '../session.ts'
import { EmailField } from './email-field.tsx'

const Back = () => (
  <Text ta="center" size="sm">
    <Anchor size="sm" renderRoot={(props) => <PlainLink to="/sign-in" {...props} />}>
      Back to sign-in
    </Anchor>
  </Text>
)

export function ForgotPasswordPage() {
  const [email, setEmail] = useState(useAddress().email ?? '')
  const asking = useMutation({ mutationFn: () => askForLink(email) })
  if (asking.isSuccess)
    return (
      <Sheet
        title="Check your inbox"
        lead={`If ${email} is an administrator, a mail with a link is on its way.`}
      >
        <Back />
      </Sheet>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    asking.mutate()
  }
  return (
    <Sheet title="Forgot your password?" lead="We will mail you a link to choose a new one.">
      <form onSubmit={submit}>
        <Stack>
          <EmailField
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Problem error={asking.error} />
          <Button type="submit" fullWidth loading={asking.isPending}>
            Send the link
          </Button>
        </Stack>
      </form>
      <Back />
    </Sheet>
  )
}

/** The target of links in mail, and of the link that the first start prints. */
export function PasswordLinkPage() {
  const { token = '' } = useAddress()
  const [done, setDone] = useState(false)
  if (done)
    return (
      <Sheet title="Your password is set" lead="Use it from now on.">
        <Button autoFocus fullWidth renderRoot={(props) => <PlainLink to="/sign-in" {...props} />}>
          Sign in
        </Button>
      </Sheet>
    )
  return (
    <Sheet title="Choose a password" lead="for the console: 12 characters or more.">
      <NewPassword
        rules={[]}
        username=""
        action="Save the password"
        save={(password) => choosePassword(token, password)}
        done={() => setDone(true)}
      />
      <Back />
    </Sheet>
  )
}
