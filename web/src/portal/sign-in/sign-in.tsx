import { Center, Loader } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isOwnPath } from '../../../../server/portal/continue.ts'
import type { SessionAnswer } from '../../../../server/portal/schema.ts'
import { BrandContext } from '../../ui/brand.tsx'
import { Failure } from '../../ui/failure.tsx'
import { destinationQuery, sessionQuery } from '../api.ts'
import { CodeStep } from './code-step.tsx'
import { EnrollmentStep, RecoveryCodesStep } from './enrollment-step.tsx'
import { ExpiredStep } from './expired-step.tsx'
import { PasswordStep } from './password-step.tsx'

const route = getRouteApi('/login')

/** A full page load: the target may be an application rather than one of our pages. */
const goOn = (path: string | undefined) =>
  window.location.replace(path !== undefined && isOwnPath(path) ? path : '/')

const Waiting = () => (
  <Center mih="100dvh">
    <Loader aria-label="Loading" />
  </Center>
)

interface StepProps {
  session: SessionAnswer
  show: (recoveryCodes: string[]) => void
}

function Step({ session, show }: StepProps) {
  switch (session.status) {
    case 'totp_required':
      return <CodeStep session={session} />
    case 'password_expired':
      return <ExpiredStep session={session} />
    case 'totp_enrollment_required':
      return <EnrollmentStep session={session} show={show} />
    case 'signed_in':
      return <Waiting />
  }
}

/** One URL for all steps: the server decides which is next. */
function Steps() {
  const search = route.useSearch()
  const { data: session, error } = useQuery(sessionQuery)
  // A user who must authenticate again starts with the password, although signed in.
  const [proved, setProved] = useState(search.fresh === undefined)
  const [codes, setCodes] = useState<string[]>()
  const finished = proved && session?.status === 'signed_in' && codes === undefined
  useEffect(() => {
    if (finished) goOn(search.continue)
  }, [finished, search.continue])

  if (codes) return <RecoveryCodesStep codes={codes} done={() => setCodes(undefined)} />
  if (error) return <Failure error={error} />
  if (session === undefined) return <Waiting />
  if (session === null || !proved)
    return (
      <PasswordStep
        known={search.identifier ?? session?.email}
        organization={search.organization ?? session?.organization.id}
        continueTo={search.continue}
        again={session?.status === 'signed_in'}
        done={() => setProved(true)}
      />
    )
  return <Step session={session} show={setCodes} />
}

/** Of the organization, once it is known. */
export function SignInPage() {
  const { data: session } = useQuery(sessionQuery)
  const { data: destination } = useQuery(destinationQuery(route.useSearch().continue))
  return (
    <BrandContext value={session?.organization ?? destination?.organization ?? null}>
      <Steps />
    </BrandContext>
  )
}
