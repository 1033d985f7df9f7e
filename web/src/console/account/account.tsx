import { Box } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChangePassword } from '../../ui/change-password.tsx'
import { Page } from '../../ui/page.tsx'
import { changePassword, ownSessionsQuery, queries, sessionQuery } from '../session.ts'
import { SecondFactorPanel } from './second-factor-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'

function PasswordPanel() {
  const { data: session } = useQuery(sessionQuery)
  return (
    <ChangePassword
      lead="Of the console: 12 characters or more."
      rules={[]}
      username={session?.email ?? ''}
      change={changePassword}
      done={() => void queries.invalidateQueries(ownSessionsQuery)}
    />
  )
}

/** The administrator's own password, second factor and sessions. */
export const Account = () => (
  <Box maw={720}>
    <Page title="Your account">
      <PasswordPanel />
      <SecondFactorPanel />
      <SessionsPanel />
    </Page>
  </Box>
)
