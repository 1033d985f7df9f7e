import { ActionIcon, Group, Paper, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useKeepFocus } from '../../ui/keep-focus.ts'
import { To } from '../link.tsx'
import { useDensity } from './density.ts'
import { pathOf, useNames } from './names.ts'
import classes from './object-list.module.css'

interface Item {
  id: string
  type: string
}

interface Props<T extends Item> {
  items: T[] | undefined
  type: string
  empty: string
  /** Beside the name. */
  aside?: (item: T, name: string) => ReactNode
  remove?: ((item: T & { name: string }) => void) | undefined
  /** Those that can be removed here; all by default. */
  removable?: (item: T) => boolean
  removeLabel?: (name: string) => string
}

/** Objects of one type by name, such as the groups of a user. */
export function ObjectList<T extends Item>({
  items,
  type,
  empty,
  aside,
  remove,
  removable = () => true,
  removeLabel,
}: Props<T>) {
  const [density] = useDensity()
  const name = useNames(type, items?.map(({ id }) => id) ?? [])
  const box = useKeepFocus<HTMLDivElement>()
  if (!items) return null
  const path = pathOf(type)
  const list = (
    <Paper
      withBorder
      bg="var(--gh-surface)"
      component="ul"
      className={classes.list}
      data-density={density}
    >
      {items.map((item) => (
        <Group key={item.id} justify="space-between" component="li" className={classes.item}>
          {path ? <To to={`${path}/${item.id}`}>{name(item.id)}</To> : <span>{name(item.id)}</span>}
          <Group gap="xs">
            {aside?.(item, name(item.id))}
            {remove && removable(item) && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={removeLabel?.(name(item.id)) ?? `Remove ${name(item.id)}`}
                onClick={() => remove({ ...item, name: name(item.id) })}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        </Group>
      ))}
    </Paper>
  )
  return (
    <div ref={box} tabIndex={-1}>
      {items.length > 0 ? (
        list
      ) : (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
    </div>
  )
}
