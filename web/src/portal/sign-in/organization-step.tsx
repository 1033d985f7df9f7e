import { Button, Stack } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import type { OrganizationChoice } from '../../../../server/portal/schema.ts'
import { Problem } from '../../ui/problem.tsx'
import { Sheet } from '../../ui/sheet.tsx'

interface Props {
  choice: OrganizationChoice
  choose: (id: string) => void
  busy: boolean
  error: Error | null
}

/** The same name and password match in several organizations. */
export const OrganizationStep = ({ choice, choose, busy, error }: Props) => (
  <Sheet title="Which organization?" lead="You have an account in each of these.">
    <Stack gap="xs">
      {choice.organizations.map(({ id, name }) => (
        <Button
          key={id}
          variant="default"
          justify="flex-start"
          fullWidth
          disabled={busy}
          leftSection={<IconBuilding size={18} aria-hidden />}
          onClick={() => choose(id)}
        >
          {name}
        </Button>
      ))}
    </Stack>
    <Problem error={error} />
  </Sheet>
)
