import { Button, Group, Menu, Modal, TextInput } from '@mantine/core'
import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import { IconChevronDown, IconDeviceFloppy, IconTrash } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import type { Search } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import type { AnyList } from './list-declaration.ts'
import type { ListState } from './list-state.ts'

interface View {
  label: string
  search: Search
}

interface Props {
  list: AnyList
  state: ListState
}

const textOf = (search: Search) =>
  JSON.stringify(Object.entries(search).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Views that the area offers, and those saved in this browser. */
export function ViewsMenu({ list, state }: Props) {
  const { id } = useOrganization()
  const [saved, setSaved] = useLocalStorage<View[]>({
    key: `gatehouse-views-${id}-${list.path}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  const [naming, { open, close }] = useDisclosure()
  const [label, setLabel] = useState('')
  const offered: View[] = [{ label: `All ${list.many}`, search: {} }, ...(list.views ?? [])]
  const same = (view: View) => textOf(view.search) === textOf(state.view)
  const current = [...offered, ...saved].find(same)
  const own = saved.find(same)
  const save = (event: FormEvent) => {
    event.preventDefault()
    const kept = saved.filter((view) => view.label !== label.trim())
    setSaved([...kept, { label: label.trim(), search: state.view }])
    setLabel('')
    close()
  }
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button
            variant="default"
            size="sm"
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            {current?.label ?? 'Unsaved view'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {[...offered, ...saved].map((view) => (
            <Menu.Item key={view.label} onClick={() => state.show(view.search)}>
              {view.label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconDeviceFloppy size={16} aria-hidden />}
            disabled={current !== undefined}
            onClick={open}
          >
            Save this view…
          </Menu.Item>
          {own && (
            <Menu.Item
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => setSaved(saved.filter((view) => view !== own))}
            >
              Delete this view
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={naming} onClose={close} title="Save this view" size="sm">
        <form onSubmit={save}>
          <Group align="flex-end">
            <TextInput
              flex={1}
              size="sm"
              label="Name"
              required
              withAsterisk={false}
              data-autofocus
              value={label}
              onChange={(event) => setLabel(event.currentTarget.value)}
            />
            <Button size="sm" type="submit">
              Save view
            </Button>
          </Group>
        </form>
      </Modal>
    </>
  )
}
