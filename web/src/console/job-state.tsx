import {
  IconAlertCircle,
  IconCircleCheck,
  IconClock,
  IconLoader2,
  IconRefresh,
} from '@tabler/icons-react'
import type { components } from '../../../client/index.ts'
import { Tag } from '../ui/tag.tsx'

const STATES = {
  queued: { tone: 'calm', Icon: IconClock, label: 'Queued' },
  running: { tone: 'calm', Icon: IconLoader2, label: 'Running' },
  waiting: { tone: 'warn', Icon: IconAlertCircle, label: 'Waits for you' },
  retrying: { tone: 'warn', Icon: IconRefresh, label: 'Tries again' },
  failed: { tone: 'bad', Icon: IconAlertCircle, label: 'Failed' },
  finished: { tone: 'good', Icon: IconCircleCheck, label: 'Finished' },
  cancelled: { tone: 'calm', Icon: IconClock, label: 'Cancelled' },
} as const

/** Of an import or other work in the background. */
export function JobState({ state }: { state: components['schemas']['OrganizationJob']['state'] }) {
  const { label, ...look } = STATES[state]
  return <Tag {...look}>{label}</Tag>
}
