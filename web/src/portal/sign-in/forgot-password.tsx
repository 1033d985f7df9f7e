import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { IdentifierField } from '../../ui/identifier-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { askForLink } from '../api.ts'

const route = getRouteApi('/forgot-password')

const Back = () => (
  <Text ta="center" size="sm">
    <Anchor size="sm" renderRoot={(props) => <Link to="/login" {...props} />}>
      Back to sign-in
    </Anchor>
  </Text>
)

export function ForgotPasswordPage() {
  const search = route.useSearch()
  const [identifier, setIdentifier] = useState(search.identifier ?? '')
  const asking = useMutation({ mutationFn: () => askForLink(identifier, search.organization) })
  if (asking.isSuccess)
    return (
      <Sheet
        title="Check your inbox"
        lead={
          <>
            If there is an account for <strong>{identifier}</strong>, a mail with a link is on its
            way. It may take a few minutes.
          </>
        }
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
          <IdentifierField
            autoFocus
            value={identifier}
            onChange={(event) => setIdentifier(event.currentTarget.value)}
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
