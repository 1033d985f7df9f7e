import { ActionIcon, Menu, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react'
import { Confirm } from '../../ui/confirm.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { useOrganizationActions } from './actions.ts'
import { OrganizationForm } from './organization-form.tsx'
import type { Row } from './overview.ts'

/** What can be done to an organization of the list. */
export function RowMenu({ row }: { row: Row }) {
  const may = useMay()
  const { id: current } = useOrganization()
  const { change, remove } = useOrganizationActions()
  const [editing, edit] = useDisclosure()
  const [asking, ask] = useDisclosure()
  const { id, name } = row
  const question = {
    title: `Delete ${name}?`,
    text: 'Nobody can sign in to it from now on, and its devices and applications stop. It can be restored for 30 days; then all its data is erased.',
    action: 'Delete organization',
    typed: name,
    run: () => remove.mutate({ id, name }),
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {may.write('organizations') && (
            <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={edit.open}>
              Edit organization
            </Menu.Item>
          )}
          {may.write('providers') && (
            <Menu.Item
              color="red.9"
              leftSection={<IconTrash size={16} aria-hidden />}
              disabled={id === current}
              onClick={ask.open}
            >
              {id === current
                ? 'Delete organization (switch to another first)'
                : 'Delete organization'}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Confirm question={asking ? question : null} close={ask.close} />
      <Modal opened={editing} onClose={edit.close} title={`Edit ${name}`}>
        {editing && (
          <OrganizationForm
            action="Save organization"
            initial={{ name, maxSystemUsers: row.maxSystemUsers }}
            error={change.error}
            saving={change.isPending}
            save={(values) => change.mutate({ id, values }, { onSuccess: edit.close })}
            close={edit.close}
          />
        )}
      </Modal>
    </>
  )
}
