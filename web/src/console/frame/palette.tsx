import { Modal, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight } from '@mantine/spotlight'
import { IconCode, IconHome, IconKeyboard, IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import { AREAS, type Area } from '../areas.ts'
import { useGo } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'

const DEBOUNCE_MS = 150

function Hits({ area, text }: { area: Area; text: string }) {
  const go = useGo()
  const { data = [] } = useRead(['palette', area.path, text], async (api) =>
    area.find ? area.find(api, text) : [],
  )
  if (data.length === 0) return null
  return (
    <Spotlight.ActionsGroup label={area.label}>
      {data.map(({ id, name, about }) => (
        <Spotlight.Action
          key={id}
          label={name}
          description={about}
          leftSection={<area.Icon size={20} stroke={1.5} aria-hidden />}
          onClick={() => void go(`${area.path}/${id}`)}
        />
      ))}
    </Spotlight.ActionsGroup>
  )
}

/** Answers arrive after the keys, when nothing is selected yet: Enter opens the first. */
function openFirst(event: KeyboardEvent<HTMLElement>): void {
  const list = event.currentTarget.closest('[role=dialog]')
  if (event.key === 'Enter' && !list?.querySelector('[data-selected]'))
    list?.querySelector<HTMLElement>('[data-action]')?.click()
}

interface Props {
  showKeys: () => void
  showCalls: () => void
}

/** Jumps to anything by its name, and runs what every page can do. */
export function Palette({ showKeys, showCalls }: Props) {
  const go = useGo()
  const may = useMay()
  const { name } = useOrganization()
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text.trim(), DEBOUNCE_MS)
  const areas = AREAS.filter(({ scope }) => may.read(scope))
  const pages = [
    { label: 'Home', Icon: IconHome, run: () => void go('') },
    ...areas.map(({ path, label, Icon }) => ({ label, Icon, run: () => void go(path) })),
    { label: 'See this page as API calls', Icon: IconCode, run: showCalls },
    { label: 'Keyboard shortcuts', Icon: IconKeyboard, run: showKeys },
  ].filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()))
  return (
    <Spotlight.Root
      query={text}
      onQueryChange={setText}
      shortcut="mod + K"
      tagsToIgnore={[]}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.35 }}
      scrollable
      maxHeight={420}
    >
      {/* The name of the dialog, for screen readers. */}
      <VisuallyHidden>
        <Modal.Title>Command palette</Modal.Title>
      </VisuallyHidden>
      <Spotlight.Search
        placeholder={`Search ${name}`}
        aria-label="Search or jump to"
        onKeyDown={openFirst}
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label="Go to">
            {pages.map(({ label, Icon, run }) => (
              <Spotlight.Action
                key={label}
                label={label}
                leftSection={<Icon size={20} stroke={1.5} aria-hidden />}
                onClick={run}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {settled !== '' && areas.map((area) => <Hits key={area.path} area={area} text={settled} />)}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
