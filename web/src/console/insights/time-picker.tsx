import { ActionIcon, Button, Divider, Group, Popover, Stack, TextInput } from '@mantine/core'
import { IconCalendarTime, IconRefresh, IconZoomOut } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { instantOf, localOf, ZONE } from '../../ui/time.ts'
import type { ExplorerState } from './explorer-state.ts'
import { labelOf, PRESETS, type Range, yesterday } from './time-range.ts'

function FixedRange({ state, close }: { state: ExplorerState; close: () => void }) {
  const [from, setFrom] = useState(localOf(state.span.from))
  const [to, setTo] = useState(localOf(state.span.to))
  const apply = (event: FormEvent) => {
    event.preventDefault()
    state.setRange({ from: instantOf(from), to: instantOf(to) })
    close()
  }
  return (
    <form onSubmit={apply}>
      <Stack gap="xs">
        <TextInput
          size="xs"
          type="datetime-local"
          label={`From, in ${ZONE}`}
          required
          withAsterisk={false}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          size="xs"
          type="datetime-local"
          label="To"
          required
          withAsterisk={false}
          min={from}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button size="xs" type="submit">
          Show this time
        </Button>
      </Stack>
    </form>
  )
}

/** Twice as long, with the same middle, but not beyond now. */
function zoomedOut({ from, to }: { from: number; to: number }) {
  const half = (to - from) / 2
  const end = Math.min(to + half, Date.now())
  return { from: new Date(end - 4 * half).toISOString(), to: new Date(end).toISOString() }
}

export function TimePicker({ state }: { state: ExplorerState }) {
  const [opened, setOpened] = useState(false)
  const close = () => setOpened(false)
  const choose = (range: Range) => {
    state.setRange(range)
    close()
  }
  return (
    <Group gap={4} wrap="nowrap">
      <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus>
        <Popover.Target>
          <Button
            variant="default"
            size="sm"
            leftSection={<IconCalendarTime size={16} aria-hidden />}
            onClick={() => setOpened(!opened)}
          >
            {labelOf(state.range)}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Group align="flex-start" gap="md" wrap="nowrap">
            <Stack gap={2}>
              {PRESETS.map(({ last, label }) => (
                <Button
                  key={last}
                  size="compact-sm"
                  variant={'last' in state.range && state.range.last === last ? 'light' : 'subtle'}
                  justify="flex-start"
                  onClick={() => choose({ last })}
                >
                  {label}
                </Button>
              ))}
              <Button
                size="compact-sm"
                variant="subtle"
                justify="flex-start"
                onClick={() => choose(yesterday(Date.now()))}
              >
                Yesterday
              </Button>
            </Stack>
            <Divider orientation="vertical" />
            <FixedRange state={state} close={close} />
          </Group>
        </Popover.Dropdown>
      </Popover>
      <ActionIcon
        variant="default"
        size={36}
        aria-label="Show twice the time"
        onClick={() => state.setRange(zoomedOut(state.span))}
      >
        <IconZoomOut size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" size={36} aria-label="Refresh" onClick={state.refresh}>
        <IconRefresh size={16} aria-hidden />
      </ActionIcon>
    </Group>
  )
}
