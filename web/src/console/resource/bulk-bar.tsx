import { Button, Group, Modal, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRoom } from '../../ui/use-room.ts'
import { useChange } from '../changes.ts'
import { useMay, useOrganization } from '../organization.ts'
import { startWork } from '../tray/tray.ts'
import type { NewWork } from '../tray/work.ts'
import classes from './list.module.css'
import type { AnyList, BulkAction } from './list-declaration.ts'

interface Props {
  list: AnyList
  selected: ReadonlySet<string>
  clear: () => void
}

function ActionButton({ action, list, selected, clear }: Props & { action: BulkAction }) {
  const { id: organization } = useOrganization()
  const [asking, { open, close }] = useDisclosure()
  const start = (work: NewWork) => {
    startWork(organization, work)
    close()
    clear()
  }
  const { run, done, undo, work, form } = action
  const change = useChange<string[]>({
    run: async (api, ids) => (work ? work(api, ids) : run?.(api, ids)),
    touches: work ? [] : [[list.path]],
    ...(done && { done: (ids: string[]) => done(ids.length) }),
    ...(undo && { undo }),
    after: (result) => (work ? start(result as NewWork) : clear()),
  })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        {...(action.danger && { c: 'var(--mantine-color-error)' })}
        leftSection={<action.Icon size={16} aria-hidden />}
        loading={change.isPending}
        onClick={() => (form ? open() : change.mutate([...selected]))}
      >
        {action.label}
      </Button>
      {form && (
        <Modal opened={asking} onClose={close} title={action.label} size="md">
          {form({
            ids: [...selected],
            start,
            close: () => {
              close()
              clear()
            },
          })}
        </Modal>
      )}
    </>
  )
}

/** Between the bar and the edge of the window, and what stands above it. */
const GAP_PX = 24

function Bar({ list, selected, clear }: Props) {
  const may = useMay()
  // Notices and the tray stand above it.
  const ref = useRoom('--gh-bulk-bar', 2 * GAP_PX)
  return (
    <Paper
      ref={ref}
      className={classes.bulk}
      shadow="lg"
      p="sm"
      role="region"
      aria-label="Selection"
    >
      <Group gap="xs">
        <Text size="sm" fw={600} aria-live="polite">
          {selected.size} selected
        </Text>
        {list.bulk
          ?.filter(({ reads, scope = list.scope }) => reads || may.write(scope))
          .map((action) => (
            <ActionButton
              key={action.label}
              action={action}
              list={list}
              selected={selected}
              clear={clear}
            />
          ))}
        <Button size="xs" variant="subtle" onClick={clear}>
          Clear
        </Button>
      </Group>
    </Paper>
  )
}

/** What can be done with the selected rows. */
export const BulkBar = (props: Props) => (props.selected.size === 0 ? null : <Bar {...props} />)
