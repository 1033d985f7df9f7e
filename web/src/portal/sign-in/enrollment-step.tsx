import type { SessionAnswer } from '../../../../server/portal/schema.ts'
import { RecoveryCodes } from '../../ui/recovery-codes.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { Enrollment } from '../enrollment.tsx'
import { AnotherAccount } from './another-account.tsx'

interface Props {
  session: SessionAnswer
  show: (codes: string[]) => void
}

export const EnrollmentStep = ({ session, show }: Props) => (
  <Sheet
    title="Set up your second factor"
    lead={`${session.organization.name} requires one. It takes a minute.`}
  >
    <Enrollment show={show} />
    <AnotherAccount session={session} />
  </Sheet>
)

export const RecoveryCodesStep = ({ codes, done }: { codes: string[]; done: () => void }) => (
  <Sheet title="Your recovery codes">
    <RecoveryCodes codes={codes} done={done} />
  </Sheet>
)
