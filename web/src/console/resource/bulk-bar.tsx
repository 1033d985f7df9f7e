import { Button, Group, Paper, Text } from '@mantine/core'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import classes from './list.module.css'
import type { BulkAction, ListDeclaration } from './list-declaration.ts'

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: the rows do not matter here
  list: ListDeclaration<any>
  selected: ReadonlySet<string>
  clear: () => void
}

function ActionButton({ action, list, selected, clear }: Props & { action: BulkAction }) {
  const { undo } = action
  const change = useChange<string[]>({
    run: action.run,
    touches: [[list.path]],
    done: (ids) => action.done(ids.length),
    ...(undo && { undo }),
    after: clear,
  })
  return (
    <Button
      size="sm"
      variant="default"
      {...(action.danger && { c: 'var(--mantine-color-error)' })}
      leftSection={<action.Icon size={16} aria-hidden />}
      loading={change.isPending}
      onClick={() => change.mutate([...selected])}
    >
      {action.label}
    </Button>
  )
}

/** What can be done with the selected rows. */
export function BulkBar({ list, selected, clear }: Props) {
  const may = useMay()
  if (selected.size === 0) return null
  return (
    <Paper className={classes.bulk} shadow="lg" p="sm" role="region" aria-label="Selection">
      <Group>
        <Text size="sm" fw={600} aria-live="polite">
          {selected.size} selected
        </Text>
        {may.write(list.scope) &&
          list.bulk?.map((action) => (
            <ActionButton
              key={action.label}
              action={action}
              list={list}
              selected={selected}
              clear={clear}
            />
          ))}
        <Button size="sm" variant="subtle" onClick={clear}>
          Clear
        </Button>
      </Group>
    </Paper>
  )
}
