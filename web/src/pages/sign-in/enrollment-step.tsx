import type { SessionAnswer } from '../../../../server/portal/schema.ts'
import { Enrollment } from '../../ui/enrollment.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { AnotherAccount } from './another-account.tsx'

export const EnrollmentStep = ({ session }: { session: SessionAnswer }) => (
  <Sheet
    title="Set up your second factor"
    lead={`${session.organization.name} asks for one. It takes a minute.`}
  >
    <Enrollment done={() => {}} />
    <AnotherAccount session={session} />
  </Sheet>
)
