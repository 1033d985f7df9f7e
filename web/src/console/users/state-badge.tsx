import { IconCircleCheck, IconCirclePause, IconClock, IconLock } from '@tabler/icons-react'
import { Tag } from '../../ui/tag.tsx'
import { STATES, type State, type User } from './user.ts'

const LOOK = {
  ACTIVATED: { tone: 'good', Icon: IconCircleCheck },
  STAGED: { tone: 'calm', Icon: IconClock },
  SUSPENDED: { tone: 'warn', Icon: IconCirclePause },
} as const satisfies Record<State, object>

export function StateBadge({ user }: { user: User }) {
  const state = user.state ?? 'ACTIVATED'
  if (user.account_locked && state === 'ACTIVATED')
    return (
      <Tag tone="bad" Icon={IconLock}>
        Locked
      </Tag>
    )
  return <Tag {...LOOK[state]}>{STATES[state]}</Tag>
}
