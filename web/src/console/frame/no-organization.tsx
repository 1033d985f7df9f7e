import { Button } from '@mantine/core'
import { Sheet } from '../../ui/sheet.tsx'
import { leave } from './leave.ts'

/** For an address that is not that of an organization of theirs. */
export const UnknownOrganization = () => (
  <Sheet
    title="No such organization"
    lead="It does not exist, or your account is not linked to it."
  >
    <Button fullWidth component="a" href="/console">
      Go to your organization
    </Button>
  </Sheet>
)

export const NoOrganization = () => (
  <Sheet
    title="No organization yet"
    lead="Your account is linked to none. Another administrator can give you access."
  >
    <Button fullWidth onClick={leave}>
      Sign out
    </Button>
  </Sheet>
)
