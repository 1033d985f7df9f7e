import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ForgottenPassword } from '../../ui/forgotten-password.tsx'
import { IdentifierField } from '../../ui/identifier-field.tsx'
import { askForLink } from '../api.ts'

const route = getRouteApi('/forgot-password')

export function ForgotPasswordPage() {
  const search = route.useSearch()
  const [identifier, setIdentifier] = useState(search.identifier ?? '')
  return (
    <ForgottenPassword
      ask={() => askForLink(identifier, search.organization)}
      asked={
        <>
          If there is an account for <strong>{identifier}</strong>, a mail with a link is on its
          way. It may take a few minutes.
        </>
      }
      back={(props) => <Link to="/login" {...props} />}
    >
      <IdentifierField
        autoFocus
        value={identifier}
        onChange={(event) => setIdentifier(event.currentTarget.value)}
      />
    </ForgottenPassword>
  )
}
