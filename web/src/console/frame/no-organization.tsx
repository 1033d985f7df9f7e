import { Button } from '@mantine/core'
import { Sheet } from '../../ui/sheet.tsx'
import { leave } from './leave.ts'

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
