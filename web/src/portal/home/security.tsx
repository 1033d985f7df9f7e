import { Page } from '../../ui/page.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { RecoveryPanel } from './recovery-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'
import { TotpPanel } from './totp-panel.tsx'

export const SecurityPage = () => (
  <Page title="Security">
    <PasswordPanel />
    <TotpPanel />
    <RecoveryPanel />
    <SessionsPanel />
  </Page>
)
