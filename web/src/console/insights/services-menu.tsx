import { Button, Checkbox, Popover, Stack } from '@mantine/core'
import { IconStack2 } from '@tabler/icons-react'
import type { ExplorerState } from './explorer-state.ts'
import type { Schema } from './reads.ts'

const label = (service: string) => service.replaceAll('_', ' ')

/** Which services' events are searched; none chosen means all. */
export function ServicesMenu({ state, schema }: { state: ExplorerState; schema?: Schema }) {
  const chosen = state.service.filter((service) => service !== 'all')
  return (
    <Popover position="bottom-start" trapFocus>
      <Popover.Target>
        <Button variant="default" size="sm" leftSection={<IconStack2 size={16} aria-hidden />}>
          {chosen.length === 0
            ? 'All services'
            : chosen.length === 1
              ? label(chosen[0]!)
              : `${chosen.length} services`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        <Checkbox.Group
          aria-label="Services"
          value={chosen}
          onChange={(next) => state.set({ service: next.join(',') })}
        >
          <Stack gap="xs">
            {schema?.services.map(({ name }) => (
              <Checkbox key={name} value={name} label={label(name)} size="sm" />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  )
}
