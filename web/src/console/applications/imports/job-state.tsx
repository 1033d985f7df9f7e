import { IconAlertCircle, IconCheck, IconClock, IconLoader2 } from '@tabler/icons-react'
import { Tag } from '../../../ui/tag.tsx'
import type { Job } from './source.ts'

const LOOK = {
  queued: { tone: 'calm', Icon: IconClock, label: 'Queued' },
  running: { tone: 'calm', Icon: IconLoader2, label: 'Running' },
  waiting: { tone: 'warn', Icon: IconAlertCircle, label: 'Waits for you' },
  finished: { tone: 'good', Icon: IconCheck, label: 'Finished' },
  failed: { tone: 'bad', Icon: IconAlertCircle, label: 'Failed' },
  cancelled: { tone: 'calm', Icon: IconClock, label: 'Cancelled' },
} as const satisfies Record<Job['status'], object>

export function JobState({ job }: { job: Job }) {
  const { label, ...look } = LOOK[job.status]
  return <Tag {...look}>{label}</Tag>
}
