import type { SessionAnswer } from '../../../../server/portal/schema.ts'
import { SecondFactorForm } from '../../ui/second-factor-form.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { giveCode } from '../api.ts'
import { AnotherAccount } from './another-account.tsx'

export const CodeStep = ({ session }: { session: SessionAnswer }) => (
  <Sheet title="Your second factor" lead="One more step to confirm that it is you.">
    <SecondFactorForm give={giveCode} action="Continue" />
    <AnotherAccount session={session} />
  </Sheet>
)
