import { Anchor, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OrganizationChoice } from '../../../../server/portal/schema.ts'
import { IdentifierField } from '../../ui/identifier-field.tsx'
import { PasswordForm } from '../../ui/password-form.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { destinationQuery, signIn } from '../api.ts'
import { OrganizationStep } from './organization-step.tsx'

interface Props {
  known: string | undefined
  organization: string | undefined
  /** Where to go after sign-in. */
  continueTo: string | undefined
  /** The user is signed in and must authenticate again. */
  again: boolean
  done: () => void
}

/** What the user signs in for. */
function Lead({ continueTo, again }: Pick<Props, 'continueTo' | 'again'>) {
  const { data, isPending } = useQuery(destinationQuery(continueTo))
  // Keeps its place, so that the form does not move under the pointer.
  if (isPending) return <>&nbsp;</>
  const { application, organization } = data ?? {}
  if (!application)
    return again
      ? 'The application you are opening requires your password again.'
      : 'to reach your applications'
  const name = <strong>{application.displayLabel}</strong>
  return again ? (
    <>{name} requires your password again.</>
  ) : (
    <>
      to continue to {name} at {organization?.name}
    </>
  )
}

export function PasswordStep({ known, organization, continueTo, again, done }: Props) {
  const [identifier, setIdentifier] = useState(known ?? '')
  const [choice, setChoice] = useState<(OrganizationChoice & { password: string }) | null>(null)
  const signingIn = useMutation({
    mutationFn: ({ password, chosen }: { password: string; chosen: string | undefined }) =>
      signIn({
        identifier,
        password,
        ...(chosen && { organization: chosen }),
        ...(continueTo && { continue: continueTo }),
      }),
    onSuccess: (answer, { password }) => {
      if (answer.status === 'choose_organization') setChoice({ ...answer, password })
      else done()
    },
  })
  if (choice)
    return (
      <OrganizationStep
        choice={choice}
        choose={(chosen) => signingIn.mutate({ password: choice.password, chosen })}
        busy={signingIn.isPending}
        error={signingIn.error}
      />
    )
  return (
    <Sheet
      title={again ? 'Confirm that it is you' : 'Sign in'}
      lead={<Lead continueTo={continueTo} again={again} />}
    >
      <PasswordForm
        known={known !== undefined}
        forgotten={(props) => (
          <Link
            to="/forgot-password"
            search={{ ...(identifier && { identifier }), ...(organization && { organization }) }}
            {...props}
          />
        )}
        action={again ? 'Continue' : 'Sign in'}
        busy={signingIn.isPending}
        error={signingIn.error}
        submit={(password) => signingIn.mutate({ password, chosen: organization })}
      >
        <IdentifierField
          autoFocus={!known}
          value={identifier}
          onChange={(event) => setIdentifier(event.currentTarget.value)}
        />
      </PasswordForm>
      {/* Only after a refusal: few who sign in here are administrators. */}
      {signingIn.isError && (
        <Text size="sm" c="dimmed" ta="center">
          Are you an administrator?{' '}
          <Anchor size="sm" href="/console" underline="always">
            Sign in to the console
          </Anchor>
        </Text>
      )}
    </Sheet>
  )
}
