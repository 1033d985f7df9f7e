import { Modal, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight } from '@mantine/spotlight'
import {
  IconCode,
  IconHome,
  IconKeyboard,
  IconMoon,
  IconSearch,
  IconSun,
  IconUserCog,
} from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import { dataOf } from '../../api/organization.ts'
import type { Area } from '../areas.ts'
import { useGo } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import { type PageAction, pageActions } from '../page-actions.ts'
import { useRead } from '../reads.ts'
import { pathOf } from '../resource/names.ts'
import classes from './frame.module.css'
import { useAreas } from './use-areas.ts'

const DEBOUNCE_MS = 150
/** Until the palette has given the focus back: a dialog that an action opens returns it there. */
const FOCUS_MS = 50
/** Types that one search of the API covers. */
const TYPES = ['user', 'user_group', 'system_group', 'system', 'application', 'administrator']

interface Hit {
  id: string
  name: string
  about: string
}

function Hits({ area, hits }: { area: Area; hits: Hit[] }) {
  const go = useGo()
  if (hits.length === 0) return null
  return (
    <Spotlight.ActionsGroup label={area.label}>
      {hits.map(({ id, name, about }) => (
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

/** An area that the common search does not know. */
function OwnHits({ area, text }: { area: Area; text: string }) {
  const { data = [] } = useRead(
    ['palette', area.path, text],
    async (api) => (await area.find?.(api, text)) ?? [],
  )
  return <Hits area={area} hits={data} />
}

function Results({ areas, text }: { areas: Area[]; text: string }) {
  const { data = [] } = useRead(
    ['palette', text],
    async (api) =>
      dataOf(await api.management.GET('/v2/search', { params: { query: { q: text } } })),
    // While typing goes on.
    { placeholderData: (previous) => previous },
  )
  const covered = TYPES.map(pathOf)
  return areas.map((area) =>
    covered.includes(area.path) ? (
      <Hits
        key={area.path}
        area={area}
        hits={data.filter(({ type }) => pathOf(type) === area.path)}
      />
    ) : (
      area.find && <OwnHits key={area.path} area={area} text={text} />
    ),
  )
}

/** Answers arrive after the keys, when nothing is selected yet: Enter opens the first. */
function openFirst(event: KeyboardEvent<HTMLElement>): void {
  const list = event.currentTarget.closest('[role=dialog]')
  if (event.key === 'Enter' && !list?.querySelector('[data-selected]'))
    list?.querySelector<HTMLElement>('[data-action]')?.click()
}

function Actions({ label, actions }: { label: string; actions: PageAction[] }) {
  if (actions.length === 0) return null
  return (
    <Spotlight.ActionsGroup label={label}>
      {actions.map(({ label, Icon, run }) => (
        <Spotlight.Action
          key={label}
          label={label}
          leftSection={<Icon size={20} stroke={1.5} aria-hidden />}
          onClick={() => setTimeout(run, FOCUS_MS)}
        />
      ))}
    </Spotlight.ActionsGroup>
  )
}

interface Props {
  showKeys: () => void
  showCalls: () => void
}

/** Jumps to anything by its name, and runs what the page and every page can do. */
export function Palette({ showKeys, showCalls }: Props) {
  const go = useGo()
  const { name } = useOrganization()
  const [text, setText] = useState('')
  const [own, setOwn] = useState<PageAction[]>([])
  const [settled] = useDebouncedValue(text.trim(), DEBOUNCE_MS)
  const areas = useAreas()
  const { setColorScheme } = useMantineColorScheme()
  const pages = [
    { label: 'Home', Icon: IconHome, run: () => void go('') },
    ...areas.map(({ path, label, Icon }) => ({ label, Icon, run: () => void go(path) })),
    { label: 'Your account', Icon: IconUserCog, run: () => void go('account') },
    { label: 'See this page as API calls', Icon: IconCode, run: showCalls },
    { label: 'Keyboard shortcuts', Icon: IconKeyboard, run: showKeys },
    { label: 'Dark colours', Icon: IconMoon, run: () => setColorScheme('dark') },
    { label: 'Light colours', Icon: IconSun, run: () => setColorScheme('light') },
  ]
  const typed = text.trim().toLowerCase()
  const fitting = (actions: PageAction[]) =>
    actions.filter(({ label }) => label.toLowerCase().includes(typed))
  return (
    <Spotlight.Root
      query={text}
      onQueryChange={setText}
      onSpotlightOpen={() => setOwn(pageActions())}
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
        // Sooner than the dialog, or the first keys would be lost.
        autoFocus
        onKeyDown={openFirst}
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      <Spotlight.ActionsList className={classes.found}>
        <Actions label="On this page" actions={fitting(own)} />
        <Actions label="Go to" actions={fitting(pages)} />
        {settled !== '' && <Results areas={areas} text={settled} />}
        <Spotlight.Empty className={classes.nothing}>Nothing has this name.</Spotlight.Empty>
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
