import { Button, Center, Stack, Text, ThemeIcon } from '@mantine/core'
import classes from './list.module.css'
import type { AnyList } from './list-declaration.ts'

interface Props {
  list: AnyList
  narrowed: boolean
  clear: () => void
  create: (() => void) | undefined
}

/** Says what would be here, and how to get there. */
export const EmptyList = ({ list, narrowed, clear, create }: Props) => (
  <Center className={classes.empty}>
    <Stack align="center" gap="sm">
      <ThemeIcon variant="light" size={48} radius="xl">
        <list.Icon size={26} aria-hidden />
      </ThemeIcon>
      <Text fw={600}>{narrowed ? `No ${list.one} matches` : `No ${list.many} yet`}</Text>
      {!narrowed && (
        <Text c="dimmed" size="sm" ta="center" maw={420}>
          {list.empty}
        </Text>
      )}
      {narrowed ? (
        <Button variant="default" size="sm" onClick={clear}>
          Clear search and filters
        </Button>
      ) : (
        create && (
          <Button size="sm" onClick={create}>
            {list.create?.label}
          </Button>
        )
      )}
    </Stack>
  </Center>
)
