import { Button, Center, Loader } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { LinkAnswer } from '../../../../server/portal/schema.ts'
import { NewPassword } from '../../ui/new-password.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { choosePassword, linkQuery } from '../api.ts'

const route = getRouteApi('/password')

const WORDS = {
  activation: {
    title: ({ firstname }: LinkAnswer) => (firstname ? `Welcome, ${firstname}` : 'Welcome'),
    lead: ({ username, organizationName }: LinkAnswer) =>
      `Choose a password for your account ${username} at ${organizationName}.`,
    action: 'Activate my account',
    done: 'Your account is active',
  },
  reset: {
    title: () => 'Choose a new password',
    lead: ({ username, organizationName }: LinkAnswer) =>
      `For your account ${username} at ${organizationName}.`,
    action: 'Save the new password',
    done: 'Your new password is set',
  },
}

const SpentLink = () => (
  <Sheet
    title="This link no longer works"
    lead="Links work once and for a limited time. Ask for a new one."
  >
    <Button renderRoot={(props) => <Link to="/forgot-password" {...props} />} fullWidth>
      Ask for a new link
    </Button>
  </Sheet>
)

/** The target of links in activation and reset mail. */
export function PasswordLinkPage() {
  const { organization = '', token = '' } = route.useSearch()
  const link = { organization, token }
  const { data, error } = useQuery(linkQuery(link))
  const [done, setDone] = useState(false)
  if (error) return <SpentLink />
  if (!data)
    return (
      <Center mih="100dvh">
        <Loader aria-label="Loading" />
      </Center>
    )
  const words = WORDS[data.purpose]
  if (done)
    return (
      <Sheet title={words.done} lead="Use it from now on.">
        <Button
          autoFocus
          renderRoot={(props) => (
            <Link to="/login" search={{ identifier: data.username, organization }} {...props} />
          )}
          fullWidth
        >
          Sign in
        </Button>
      </Sheet>
    )
  return (
    <Sheet title={words.title(data)} lead={words.lead(data)}>
      <NewPassword
        rules={data.rules}
        username={data.username}
        action={words.action}
        save={(password) => choosePassword(link, password)}
        done={() => setDone(true)}
      />
    </Sheet>
  )
}
