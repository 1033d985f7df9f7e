import { useQuery } from '@tanstack/react-query'
import { ChangePassword } from '../../ui/change-password.tsx'
import { asDay } from '../../ui/time.ts'
import {
  changePassword,
  queries,
  rulesQuery,
  securityQuery,
  sessionQuery,
  sessionsQuery,
} from '../api.ts'

export function PasswordPanel() {
  const { data } = useQuery(securityQuery)
  const { data: rules } = useQuery(rulesQuery)
  const { data: session } = useQuery(sessionQuery)
  const expires = data?.passwordExpiresAt
  return (
    <ChangePassword
      lead={
        data?.passwordSetAt &&
        `Set on ${asDay(data.passwordSetAt)}${expires ? `, expires on ${asDay(expires)}` : ''}`
      }
      rules={rules?.rules ?? []}
      username={session?.username ?? ''}
      change={changePassword}
      done={() => {
        void queries.invalidateQueries(securityQuery)
        void queries.invalidateQueries(sessionsQuery)
      }}
    />
  )
}
