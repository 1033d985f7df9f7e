import { Button, Divider, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrash } from '@tabler/icons-react'
import { Confirm } from '../../ui/confirm.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { useOrganizationActions } from './actions.ts'
import { OrganizationForm } from './organization-form.tsx'
import type { Row } from './overview.ts'

interface Props {
  row: Row
  close: () => void
}

function Deletion({ row: { id, name }, close }: Props) {
  const { id: current } = useOrganization()
  const { remove } = useOrganizationActions()
  const [asking, { open, close: leave }] = useDisclosure()
  const question = {
    title: `Delete ${name}?`,
    text: 'Nobody can sign in to it from now on, and its devices and applications stop. It can be restored for 30 days; then all its data is erased.',
    action: 'Delete organization',
    typed: name,
    run: () => {
      remove.mutate({ id, name })
      close()
    },
  }
  return (
    <>
      <Divider />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {id === current ? 'You are in it: switch to another to delete it.' : 'No longer needed?'}
        </Text>
        <Button
          size="sm"
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          disabled={id === current}
          onClick={open}
        >
          Delete organization
        </Button>
      </Group>
      <Confirm question={asking ? question : null} close={leave} />
    </>
  )
}

function Form({ row, close }: Props) {
  const may = useMay()
  const { change } = useOrganizationActions()
  const { id, name, maxSystemUsers } = row
  return (
    <Stack>
      {may.write('organizations') && (
        <OrganizationForm
          action="Save organization"
          initial={{ name, maxSystemUsers }}
          error={change.error}
          saving={change.isPending}
          save={(values) => change.mutate({ id, values }, { onSuccess: close })}
          close={close}
        />
      )}
      {may.write('providers') && <Deletion row={row} close={close} />}
    </Stack>
  )
}

/** Its name and limit, and the way to delete it. One dialog for the whole list, which may be long. */
export const EditOrganization = ({ row, close }: { row: Row | null; close: () => void }) => (
  <Modal opened={row !== null} onClose={close} title={row ? `Edit ${row.name}` : ''}>
    {row && <Form row={row} close={close} />}
  </Modal>
)
