import { ActionIcon } from '@mantine/core'
import { IconZoomIn, IconZoomOut } from '@tabler/icons-react'
import type { ExplorerState } from './explorer-state.ts'
import type { Scalar } from './query/term.ts'

interface Props {
  state: ExplorerState
  field: string
  value: Scalar
}

/** Narrows the query to events with the value, or to those without it. */
export function ValueButtons({ state, field, value }: Props) {
  const narrow = (operator: 'eq' | 'ne') => state.narrow({ type: 'leaf', field, operator, value })
  const about = `${field} ${value}`
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={`Only ${about}`}
        onClick={() => narrow('eq')}
      >
        <IconZoomIn size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={`Exclude ${about}`}
        onClick={() => narrow('ne')}
      >
        <IconZoomOut size={14} aria-hidden />
      </ActionIcon>
    </>
  )
}
