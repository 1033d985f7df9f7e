import { ActionIcon, Button, Group, Menu, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { type Icon, IconChevronLeft, IconDots } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { ApiError } from '../../api/session.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Problem } from '../../ui/problem.tsx'
import { To, usePath } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import { usePageActions } from '../page-actions.ts'
import { useEditKey } from './edit-key.ts'
import classes from './page.module.css'

export interface Tab {
  /** In the address; the first tab has none there. */
  id: string
  label: string
  content: () => ReactNode
  /** Holds the form of the object. */
  edits?: boolean
}

export interface MenuAction {
  label: string
  Icon: Icon
  danger?: boolean
  run: () => void
}

/** What is done most: a button of its own. */
interface MainAction extends MenuAction {
  busy?: boolean
  /** The only one that the object is there for. */
  filled?: boolean
}

interface Props {
  /** The list it is on. */
  list: { path: string; title: string }
  /** Absent while loading. */
  name: string | undefined
  error: Error | null
  avatar?: ReactNode
  state?: ReactNode
  copy?: { label: string; value: string }[]
  main?: MainAction | false
  menu?: MenuAction[]
  tabs: Tab[]
}

function Gone({ list, error }: Pick<Props, 'list'> & { error: Error }) {
  if (!(error instanceof ApiError && error.status === 404)) return <Problem error={error} />
  return (
    <Stack gap={4}>
      <Title order={1}>Not found</Title>
      <Text c="dimmed">It was deleted, or it belongs to another organization.</Text>
      <div>
        <To to={list.path}>Back to {list.title.toLowerCase()}</To>
      </div>
    </Stack>
  )
}

/** The page of one object: a header, and tabs that each have an address. */
export function ResourcePage({ list, name, error, avatar, state, copy, main, menu, tabs }: Props) {
  const { id, tab } = usePath()
  const { name: organization } = useOrganization()
  const shown = tabs.find((each) => each.id === tab) ?? tabs[0]
  const content = useRef<HTMLDivElement>(null)
  usePageActions([...(main ? [main] : []), ...(menu ?? [])])
  useEditKey(list.path, tabs, shown, content)
  useDocumentTitle(`${name ?? list.title} · ${organization} · Gatehouse`)
  if (error && name === undefined) return <Gone list={list} error={error} />
  return (
    <>
      <To to={list.path} className={classes.back}>
        <IconChevronLeft size={16} aria-hidden />
        {list.title}
      </To>
      <Group justify="space-between" align="flex-start" mb="md">
        <Group gap="md" wrap="nowrap">
          {avatar}
          <div>
            <Group gap="sm">
              {name === undefined ? <Skeleton h={28} w={220} /> : <Title order={1}>{name}</Title>}
              {state}
            </Group>
            <Group gap="md" mih={24}>
              {copy?.map(({ label, value }) => (
                <Copyable key={label} label={label} value={value} />
              ))}
            </Group>
          </div>
        </Group>
        <Group gap="xs">
          {main && (
            <Button
              size="sm"
              variant={main.filled ? 'filled' : 'default'}
              leftSection={<main.Icon size={16} aria-hidden />}
              loading={main.busy ?? false}
              onClick={main.run}
            >
              {main.label}
            </Button>
          )}
          {menu && menu.length > 0 && (
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon variant="default" size={36} aria-label="More actions">
                  <IconDots size={18} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {menu.map(({ label, Icon, danger, run }) => (
                  <Menu.Item
                    key={label}
                    leftSection={<Icon size={16} aria-hidden />}
                    {...(danger && { c: 'var(--mantine-color-error)' })}
                    onClick={run}
                  >
                    {label}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
      </Group>
      <nav className={classes.tabs} aria-label={`Pages of ${name ?? 'this object'}`}>
        {tabs.map((each, at) => (
          <To
            key={each.id}
            to={at === 0 ? `${list.path}/${id}` : `${list.path}/${id}/${each.id}`}
            className={classes.tab}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {each.label}
          </To>
        ))}
      </nav>
      <div ref={content}>{name === undefined ? <Skeleton h={240} /> : shown?.content()}</div>
    </>
  )
}
