import { useState } from 'react'
import { isOwnPath } from '../../../../server/portal/continue.ts'
import { RecoveryCodes } from '../../ui/recovery-codes.tsx'
import { SecondFactorForm } from '../../ui/second-factor-form.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { TotpEnrollment } from '../../ui/totp-enrollment.tsx'
import { useAddress } from '../link.tsx'
import { finishEnrollment, giveCode, startEnrollment } from '../session.ts'
import { PasswordStep } from './password-step.tsx'

type Step = 'password' | 'totp_required' | 'totp_enrollment_required'

/** A full page load: nothing of an earlier session stays in memory. */
const goOn = (path: string | undefined) =>
  window.location.replace(path !== undefined && isOwnPath(path) ? path : '/console')

export function SignInPage() {
  const { continue: continueTo, email = '' } = useAddress()
  const [step, setStep] = useState<Step>('password')
  const [codes, setCodes] = useState<string[]>()
  const done = () => goOn(continueTo)
  if (codes)
    return (
      <Sheet title="Your recovery codes">
        <RecoveryCodes codes={codes} done={done} />
      </Sheet>
    )
  if (step === 'totp_required')
    return (
      <Sheet title="Your second factor" lead="One more step to confirm that it is you.">
        <SecondFactorForm give={giveCode} action="Continue" done={done} />
      </Sheet>
    )
  if (step === 'totp_enrollment_required')
    return (
      <Sheet title="Set up your second factor" lead="Your organization requires one.">
        <TotpEnrollment
          start={startEnrollment}
          finish={async (code) => setCodes(await finishEnrollment(code))}
        />
      </Sheet>
    )
  return (
    <PasswordStep
      known={email}
      done={(status) => (status === 'signed_in' ? done() : setStep(status))}
    />
  )
}
