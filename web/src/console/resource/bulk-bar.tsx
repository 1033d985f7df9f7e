import { Button, Group, Modal, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Confirm } from '../../ui/confirm.tsx'
import { counted, number } from '../../ui/number.ts'
import { useRoom } from '../../ui/use-room.ts'
import { useChange } from '../changes.ts'
import { useMay, useOrganization } from '../organization.ts'
import { startWork } from '../tray/tray.ts'
import type { NewWork } from '../tray/work.ts'
import classes from './list.module.css'
import type { AnyList, BulkAction } from './list-declaration.ts'

/** More than one sees at once: even what can be taken back is asked first. */
const MAX_UNASKED = 100

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
  const { run, done, undo, work, form, final } = action
  const asks = final !== undefined || (!action.reads && selected.size > MAX_UNASKED)
  const change = useChange<string[]>({
    run: async (api, ids) => (work ? work(api, ids) : run?.(api, ids)),
    touches: work ? [] : [[list.path]],
    ...(done && { done: (ids: string[]) => done(ids.length) }),
    ...(undo && { undo }),
    after: (result) => (work ? start(result as NewWork) : clear()),
  })
  const act = () => change.mutate([...selected])
  return (
    <>
      <Button
        size="xs"
        variant="default"
        {...(action.danger && { c: 'var(--mantine-color-error)' })}
        leftSection={<action.Icon size={16} aria-hidden />}
        loading={change.isPending}
        onClick={form || asks ? open : act}
      >
        {action.label}
      </Button>
      {!form && (
        <Confirm
          question={
            asking
              ? {
                  title: `${action.label}: ${counted(selected.size, list.one, list.many)}?`,
                  text: final ?? 'That is more than one page. Are they the ones you mean?',
                  action: action.label,
                  run: act,
                }
              : null
          }
          close={close}
        />
      )}
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

interface BarProps extends Props {
  /** Beside the number of those selected. */
  children: ReactNode
}

/** Between the bar and the edge of the window, and what stands above it. */
const GAP_PX = 24

function Bar({ list, selected, clear, children }: BarProps) {
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
          {number.format(selected.size)} selected
        </Text>
        {children}
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
export const BulkBar = (props: BarProps) => (props.selected.size === 0 ? null : <Bar {...props} />)
