import { Button, Checkbox, Divider, Popover, SegmentedControl, Stack } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import { DENSITIES, type Density, useDensity } from './density.ts'
import type { AnyList } from './list-declaration.ts'
import type { ListState } from './list-state.ts'

interface Props {
  list: AnyList
  state: ListState
}

export function ColumnsMenu({ list, state }: Props) {
  const [density, setDensity] = useDensity()
  return (
    <Popover position="bottom-start" trapFocus>
      <Popover.Target>
        <Button variant="default" size="sm" leftSection={<IconColumns3 size={16} aria-hidden />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group
          aria-label="Columns"
          value={state.columns}
          onChange={(ids) => state.set({ columns: ids.length === 0 ? 'none' : ids.join(',') })}
        >
          <Stack gap="xs">
            {list.columns.map(({ id, label }) => (
              <Checkbox key={id} value={id} label={label} size="sm" />
            ))}
          </Stack>
        </Checkbox.Group>
        <Divider my="sm" />
        <SegmentedControl
          size="xs"
          aria-label="Density of the rows"
          data={[...DENSITIES]}
          value={density}
          onChange={(value) => setDensity(value as Density)}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
