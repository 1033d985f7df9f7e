import { IconAlertCircle, IconCircleCheck, IconCirclePause, IconRefresh } from '@tabler/icons-react'
import { Tag } from '../../../ui/tag.tsx'

type Status = 'active' | 'retrying' | 'failed' | 'paused'

const TAGS = {
  active: { tone: 'good', Icon: IconCircleCheck, label: 'Active' },
  retrying: { tone: 'warn', Icon: IconRefresh, label: 'Retrying' },
  failed: { tone: 'bad', Icon: IconAlertCircle, label: 'Failed' },
  paused: { tone: 'calm', Icon: IconCirclePause, label: 'Paused' },
} as const

export function WebhookTag({ status }: { status: Status }) {
  const { tone, Icon, label } = TAGS[status]
  return (
    <Tag tone={tone} Icon={Icon}>
      {label}
    </Tag>
  )
}
