import { Button } from '@mantine/core'
import { useState } from 'react'
import { BackToSignIn, ForgottenPassword } from '../../ui/forgotten-password.tsx'
import { NewPassword } from '../../ui/new-password.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { PlainLink, useAddress } from '../link.tsx'
import { askForLink, choosePassword } from '../session.ts'
import { EmailField } from './email-field.tsx'

const toSignIn = (props: object) => <PlainLink to="/sign-in" {...props} />

export function ForgotPasswordPage() {
  const [email, setEmail] = useState(useAddress().email ?? '')
  return (
    <ForgottenPassword
      ask={() => askForLink(email)}
      asked={`If ${email} is an administrator, a mail with a link is on its way.`}
      back={toSignIn}
    >
      <EmailField
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </ForgottenPassword>
  )
}

/** The target of links in mail, and of the link that the first start prints. */
export function PasswordLinkPage() {
  const { token = '' } = useAddress()
  const [done, setDone] = useState(false)
  if (done)
    return (
      <Sheet title="Your password is set" lead="Use it from now on.">
        <Button autoFocus fullWidth renderRoot={toSignIn}>
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
      <BackToSignIn link={toSignIn} />
    </Sheet>
  )
}
