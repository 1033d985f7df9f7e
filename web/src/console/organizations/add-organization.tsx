import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useOrganizationActions } from './actions.ts'
import { OrganizationForm } from './organization-form.tsx'

const NEW = { name: '', maxSystemUsers: 0 }

export function AddOrganization() {
  const { add } = useOrganizationActions()
  const [adding, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="sm" leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        Add organization
      </Button>
      <Modal opened={adding} onClose={close} title="Add organization">
        {adding && (
          <OrganizationForm
            action="Add organization"
            initial={NEW}
            error={add.error}
            saving={add.isPending}
            save={(values) => add.mutate(values, { onSuccess: close })}
            close={close}
          />
        )}
      </Modal>
    </>
  )
}
