import { Button, Menu, Popover, Stack, TextInput } from '@mantine/core'
import { IconFilterPlus } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import type { AnyList, Filter } from './list-declaration.ts'
import type { ListState } from './list-state.ts'

interface Props {
  list: AnyList
  state: ListState
}

function TextFilter({ filter, apply }: { filter: Filter; apply: (value: string) => void }) {
  const [value, setValue] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    apply(value.trim())
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <TextInput
          size="sm"
          label={`${filter.label} is`}
          data-autofocus
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
        <Button size="xs" type="submit">
          Apply the filter
        </Button>
      </Stack>
    </form>
  )
}

/** First the field, then its value. */
export function FilterButton({ list, state }: Props) {
  const [asking, setAsking] = useState<Filter | null>(null)
  if (list.filters.length === 0) return null
  const apply = (filter: Filter, value: string) => {
    setAsking(null)
    state.set({ [filter.id]: value })
  }
  return (
    <Popover
      opened={asking !== null}
      onChange={(opened) => !opened && setAsking(null)}
      trapFocus
      withRoles={false}
      position="bottom-start"
    >
      <Popover.Target>
        <span>
          <Menu position="bottom-start">
            <Menu.Target>
              <Button
                variant="default"
                size="sm"
                leftSection={<IconFilterPlus size={16} aria-hidden />}
              >
                Filter
              </Button>
            </Menu.Target>
            <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
              {list.filters.map((filter) =>
                filter.options ? (
                  <Menu.Sub key={filter.id}>
                    <Menu.Sub.Target>
                      <Menu.Sub.Item>{filter.label}</Menu.Sub.Item>
                    </Menu.Sub.Target>
                    <Menu.Sub.Dropdown>
                      {filter.options.map(({ value, label }) => (
                        <Menu.Item key={value} onClick={() => apply(filter, value)}>
                          {label}
                        </Menu.Item>
                      ))}
                    </Menu.Sub.Dropdown>
                  </Menu.Sub>
                ) : (
                  <Menu.Item key={filter.id} onClick={() => setAsking(filter)}>
                    {filter.label}…
                  </Menu.Item>
                ),
              )}
            </Menu.Dropdown>
          </Menu>
        </span>
      </Popover.Target>
      <Popover.Dropdown>
        {asking && <TextFilter filter={asking} apply={(value) => apply(asking, value)} />}
      </Popover.Dropdown>
    </Popover>
  )
}
