import { Anchor, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { OrganizationChoice } from '../../../../server/portal/schema.ts'
import { IdentifierField } from '../../ui/identifier-field.tsx'
import { Problem } from '../../ui/problem.tsx'
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
  const [password, setPassword] = useState('')
  const [choice, setChoice] = useState<OrganizationChoice | null>(null)
  const signingIn = useMutation({
    mutationFn: (chosen: string | undefined) =>
      signIn({
        identifier,
        password,
        ...(chosen && { organization: chosen }),
        ...(continueTo && { continue: continueTo }),
      }),
    onSuccess: (answer) => {
      if (answer.status === 'choose_organization') setChoice(answer)
      else done()
    },
  })
  if (choice)
    return (
      <OrganizationStep
        choice={choice}
        choose={signingIn.mutate}
        busy={signingIn.isPending}
        error={signingIn.error}
      />
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signingIn.mutate(organization)
  }
  return (
    <Sheet
      title={again ? 'Confirm that it is you' : 'Sign in'}
      lead={<Lead continueTo={continueTo} again={again} />}
    >
      <form onSubmit={submit}>
        <Stack>
          <IdentifierField
            autoFocus={!known}
            value={identifier}
            onChange={(event) => setIdentifier(event.currentTarget.value)}
          />
          <div>
            <PasswordInput
              label="Password"
              name="password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              autoFocus={known !== undefined}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            />
            <Group justify="flex-end" mt={6}>
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link
                    to="/forgot-password"
                    search={{
                      ...(identifier && { identifier }),
                      ...(organization && { organization }),
                    }}
                    {...props}
                  />
                )}
              >
                Forgot your password?
              </Anchor>
            </Group>
          </div>
          <Problem error={signingIn.error} />
          <Button type="submit" fullWidth loading={signingIn.isPending}>
            {again ? 'Continue' : 'Sign in'}
          </Button>
        </Stack>
      </form>
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
