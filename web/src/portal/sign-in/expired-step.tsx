import { useQuery } from '@tanstack/react-query'
import type { SessionAnswer } from '../../../../server/portal/schema.ts'
import { NewPassword } from '../../ui/new-password.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { replaceExpired, rulesQuery } from '../api.ts'
import { AnotherAccount } from './another-account.tsx'

export function ExpiredStep({ session }: { session: SessionAnswer }) {
  const { data } = useQuery(rulesQuery)
  return (
    <Sheet title="Time for a new password" lead="Your password has expired. Choose another one.">
      <NewPassword
        rules={data?.rules ?? []}
        username={session.username}
        action="Save and continue"
        save={replaceExpired}
        done={() => {}}
      />
      <AnotherAccount session={session} />
    </Sheet>
  )
}
