import { TotpEnrollment } from '../ui/totp-enrollment.tsx'
import { finishEnrollment, startEnrollment } from './api.ts'

export const Enrollment = ({ show }: { show: (recoveryCodes: string[]) => void }) => (
  <TotpEnrollment start={startEnrollment} finish={(code) => finishEnrollment(code, show)} />
)
